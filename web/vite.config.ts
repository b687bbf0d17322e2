import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Everything is a file of its own: the page's Content-Security-Policy takes nothing inline, data: URLs included.
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
  },
  server: { proxy: { "/api": "http://127.0.0.1:7071" } },
  test: { environment: "jsdom", include: ["tests/**/*.test.{ts,tsx}"], setupFiles: ["tests/setup.ts"] },
});
