// Requests to the service, in JSON. Every error is a problem document.
import type { Problem } from "./types";

const KEY = "plumbline.key";
const KEY_HEADER = "x-functions-key"; // which the service's own keys and those of the Functions host both come in

/** An error as a problem document, from the service or, if it sent none, from here. */
export class ProblemError extends Error {
  constructor(
    readonly problem: Problem,
    readonly retryAfter: string | null = null,
    readonly challenge = "", // of a 401: how to sign in
  ) {
    super(problem.detail);
    this.name = "ProblemError";
  }
}

const LOCAL = "urn:plumbline:page:";
export const UNREACHABLE = `${LOCAL}unreachable`;

const unreachable: Problem = {
  type: UNREACHABLE,
  title: "The service cannot be reached",
  status: 0,
  detail: "The connection was lost or could not be made. Check the network and try again.",
};

const unsent: Problem = {
  type: `${LOCAL}unsent`,
  title: "The file was not sent",
  status: 0,
  detail: "The connection was lost, or the file changed during the upload. Nothing was stored. Try again.",
};

/** The service's address and key. The page asks its own host, with the typed key. */
const connection = { service: "./", key: (): string => sessionStorage.getItem(KEY) ?? "" };

/** Ask another host, with this key alone. */
export function connect(service: string, key: string): void {
  connection.service = service.endsWith("/") ? service : `${service}/`;
  connection.key = () => key;
}

/** The address of the service's page. */
export function pageAddress(): string {
  return new URL(connection.service, window.location.href).href;
}

export const keys = {
  get: (): string => connection.key(),
  set: (key: string): void => sessionStorage.setItem(KEY, key),
  forget: (): void => sessionStorage.removeItem(KEY),
};

export interface Asking {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: unknown;
  accept?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  keepalive?: boolean; // goes on where the page is left
}

/** The response to a request under `api/`. Raises ProblemError unless it succeeded. */
export async function request(path: string, asking: Asking = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: asking.accept ?? "application/json", ...asking.headers };
  if (asking.body !== undefined) headers["content-type"] = "application/json";
  if (keys.get()) headers[KEY_HEADER] = keys.get();
  let response: Response;
  try {
    response = await fetch(`${connection.service}api/${path}`, {
      method: asking.method ?? "GET",
      headers,
      body: asking.body === undefined ? null : JSON.stringify(asking.body),
      signal: asking.signal ?? null,
      keepalive: asking.keepalive ?? false,
    });
  } catch (error) {
    if (asking.signal?.aborted) throw error;
    throw new ProblemError(unreachable);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The same, with its JSON parsed. */
export async function call<T>(path: string, asking: Asking = {}): Promise<T> {
  const response = await request(path, asking);
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

/** Sends a file. Uses XMLHttpRequest, since `fetch` reports no upload progress. Raises as `call`. */
export function send<T>(path: string, file: Blob, onProgress: (share: number) => void, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", `${connection.service}api/${path}`);
    sending.setRequestHeader("accept", "application/json");
    sending.setRequestHeader("content-type", "application/octet-stream");
    if (keys.get()) sending.setRequestHeader(KEY_HEADER, keys.get());
    sending.upload.onprogress = (event) => onProgress(event.total ? event.loaded / event.total : 0);
    sending.onerror = () => reject(new ProblemError(unsent));
    sending.onabort = () => reject(new DOMException("Stopped", "AbortError"));
    sending.onload = () => {
      if (sending.status < 400) resolve(JSON.parse(sending.responseText) as T);
      else reject(problemFrom(sending.status, (name) => sending.getResponseHeader(name), sending.responseText));
    };
    signal?.addEventListener("abort", () => sending.abort());
    sending.send(file);
  });
}

async function problemOf(response: Response): Promise<ProblemError> {
  return problemFrom(response.status, (name) => response.headers.get(name), await response.text());
}

function problemFrom(status: number, header: (name: string) => string | null, body: string): ProblemError {
  const retryAfter = header("retry-after");
  if (header("content-type")?.startsWith("application/problem+json")) {
    return new ProblemError(JSON.parse(body) as Problem, retryAfter, header("www-authenticate") ?? "");
  }
  const title = status === 401 ? "API key required" : "Unexpected response";
  const detail =
    status === 401
      ? "Enter your API key."
      : `The service responded with status ${status}. Try again. If the problem persists, contact your administrator.`;
  return new ProblemError({ type: `${LOCAL}status-${status}`, title, status, detail }, retryAfter);
}

/** Any error as a problem document, so that all are shown the same way. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return { type: `${LOCAL}unexpected`, title: "Something went wrong", status: 0, detail: `${detail} Reload the page.` };
}
