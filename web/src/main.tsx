import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ProblemError } from "./api/client";
import { App } from "./App";
import { Guarded } from "./parts/Guarded";
import { applyTheme, savedTheme } from "./state/theme";
import "./styles/fonts.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/answer.css";
import "./styles/table.css";
import "./styles/panels.css";

applyTheme(savedTheme());

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      // A refusal is final; a failed connection is retried.
      retry: (failures, error) => failures < 2 && error instanceof ProblemError && error.problem.status === 0,
    },
  },
});

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Guarded>
          <App />
        </Guarded>
      </QueryClientProvider>
    </StrictMode>,
  );
