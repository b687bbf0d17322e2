import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Everything is a file of its own: the page's Content-Security-Policy takes nothing inline, data: URLs included.
// The chat for other pages is a second entry over the same chunks; the script of /api/docs is a third, alone. Both have
// names that do not change.
export default defineConfig({
  base: "./",
  plugins: [react()],
  build: {
    outDir: "../agent/api/page",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    license: { fileName: "assets/licenses.txt" },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: { index: "index.html", "plumbline-chat": "src/embed/element.tsx", "plumbline-docs": "src/docs/try.ts" },
      output: {
        entryFileNames: (chunk) => (chunk.name.startsWith("plumbline-") ? "assets/[name].js" : "assets/[name]-[hash].js"),
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:7071" } },
  test: { environment: "jsdom", include: ["tests/**/*.test.{ts,tsx}"], setupFiles: ["tests/setup.ts"] },
});
