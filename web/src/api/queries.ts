// Cached reads from the service, shared by the components that show them.
import { useQuery } from "@tanstack/react-query";
import { call, ProblemError } from "./client";
import type {
  DatabaseDetail,
  DatabaseInfo,
  DatabaseList,
  DatabaseSchema,
  Document,
  FirstLook,
  ReadReport,
  Records,
  ReviewDetail,
  ReviewSummary,
  Row,
  SavedQuery,
  SessionList,
  Shared,
  Tile,
  UploadRules,
} from "./types";

const name = encodeURIComponent;

const databases = { queryKey: ["databases"], queryFn: () => call<DatabaseList>("databases") };

export function useDatabases() {
  return useQuery({ ...databases, select: (list): DatabaseInfo[] => list.databases });
}

/** The limits of uploads; null if uploads are off. */
export function useUploadRules() {
  return useQuery({ ...databases, select: (list): UploadRules | null => list.uploads ?? null });
}

/** The tables and keys of a database, and tested questions. */
export function useFirstLook(database: string) {
  return useQuery({
    queryKey: ["look", database],
    enabled: database !== "",
    queryFn: ({ signal }) => call<FirstLook>(`databases/${name(database)}/look`, { signal }),
  });
}

/** How the files of a database were read; no tables for other databases. */
export function useReadReport(database: string) {
  return useQuery({
    queryKey: ["report", database],
    enabled: database !== "",
    queryFn: () => call<ReadReport>(`databases/${name(database)}/report`),
  });
}

/** A database with questions that it can answer. */
export function useDatabase(database: string) {
  return useQuery({
    queryKey: ["database", database],
    enabled: database !== "",
    queryFn: () => call<DatabaseDetail>(`databases/${name(database)}`),
  });
}

export function useSchema(database: string) {
  return useQuery({
    queryKey: ["schema", database],
    enabled: database !== "",
    queryFn: () => call<DatabaseSchema>(`databases/${name(database)}/schema?enriched=false`),
  });
}

interface Documents {
  documents: Document[];
  next_offset: number | null;
}

/** All documents about a database. Empty without retrieval. */
export function useDocuments(database: string) {
  return useQuery({
    queryKey: ["documents", database],
    enabled: database !== "",
    queryFn: async () => {
      const found: Document[] = [];
      let offset: number | null = 0;
      while (offset !== null) {
        const page: Documents = await call(`rag/documents?database=${name(database)}&limit=100&offset=${offset}`);
        found.push(...page.documents);
        offset = page.next_offset;
      }
      return found;
    },
  });
}

export function useSessions() {
  return useQuery({
    queryKey: ["sessions"],
    queryFn: () => call<SessionList>("sessions"),
  });
}

export function useSaved() {
  return useQuery({
    queryKey: ["saved"],
    queryFn: async () => (await call<{ saved: SavedQuery[] }>("saved")).saved,
  });
}

const DASHBOARD_MS = 60_000; // the service runs the tiles; this reads their last runs

export function useDashboard() {
  return useQuery({
    queryKey: ["dashboard"],
    refetchInterval: DASHBOARD_MS,
    queryFn: async () => (await call<{ tiles: Tile[] }>("dashboard")).tiles,
  });
}

export function useReviews(status: string) {
  return useQuery({
    queryKey: ["reviews", status],
    queryFn: async () => (await call<{ reviews: ReviewSummary[] }>(`reviews?limit=100${status && `&status=${status}`}`)).reviews,
  });
}

export function useReview(id: string) {
  return useQuery({
    queryKey: ["review", id],
    enabled: id !== "",
    queryFn: () => call<ReviewDetail>(`reviews/${name(id)}`),
  });
}

/** The records behind one row of an answer. */
export function useRecords(database: string, sql: string, row: Row) {
  return useQuery({
    queryKey: ["records", database, sql, row],
    queryFn: ({ signal }) => call<Records>("records", { method: "POST", body: { database, sql, row }, signal }),
  });
}

/** A shared answer. */
export function useShared(id: string) {
  return useQuery({
    queryKey: ["shared", id],
    gcTime: 0, // whoever shares it may stop
    queryFn: ({ signal }) => call<Shared>(`shared/${name(id)}`, { signal }),
  });
}

const SIGN_IN = /authorization_uri="(\/[^"\\]*)"/; // a path of the service's own, as `agent/platform/access/policy.py` says it

/** The sign-in address, which returns to the current place; empty if the service takes a key. */
export function signInOf(error: unknown): string {
  const path = error instanceof ProblemError ? SIGN_IN.exec(error.challenge)?.[1] : undefined;
  if (!path) return "";
  const back = window.location.pathname + window.location.search + window.location.hash;
  return `${path}?post_login_redirect_uri=${encodeURIComponent(back)}`;
}

/** Whether an error means that the key is missing or invalid. */
export function wantsKey(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.status === 401;
}
