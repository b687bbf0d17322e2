import { useCallback, useSyncExternalStore } from "react";

/** Whether a media query holds, now and whenever that changes. */
export function useWide(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const found = window.matchMedia(query);
      found.addEventListener("change", listener);
      return () => found.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
