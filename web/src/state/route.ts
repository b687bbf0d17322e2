// The current view, in the address after `#`, so that links and Back work.
import { useSyncExternalStore } from "react";
import { pageAddress } from "../api/client";

export type Route =
  | { view: "ask"; question: string; database: string }
  | { view: "session"; id: string }
  | { view: "shared"; id: string }
  | { view: "saved" }
  | { view: "dashboard" }
  | { view: "reviews"; id: string };

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view, id = ""] = path.split("/").map(decodeURIComponent);
  switch (view) {
    case "session":
    case "shared":
      return { view, id };
    case "saved":
    case "dashboard":
      return { view };
    case "reviews":
      return { view, id };
    default: {
      const said = new URLSearchParams(query);
      return { view: "ask", question: said.get("question") ?? "", database: said.get("database") ?? "" };
    }
  }
}

export function hashOf(route: Route): string {
  switch (route.view) {
    case "session":
      return `#/session/${encodeURIComponent(route.id)}`;
    case "shared":
      return `#/shared/${encodeURIComponent(route.id)}`;
    case "saved":
      return "#/saved";
    case "dashboard":
      return "#/dashboard";
    case "reviews":
      return route.id ? `#/reviews/${encodeURIComponent(route.id)}` : "#/reviews";
    case "ask": {
      const said = new URLSearchParams();
      if (route.database) said.set("database", route.database);
      if (route.question) said.set("question", route.question);
      return said.size ? `#/ask?${said}` : "#/";
    }
  }
}

/** The full address of a view on the service's page. */
export function addressOf(route: Route): string {
  return new URL(hashOf(route), pageAddress()).href;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

export function useRoute(): [Route, (route: Route, replace?: boolean) => void] {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return [parseRoute(hash), go];
}

function go(route: Route, replace = false): void {
  const hash = hashOf(route);
  if (hash === window.location.hash) return;
  if (!replace) {
    window.location.hash = hash;
    return;
  }
  window.history.replaceState(null, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}
