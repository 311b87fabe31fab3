import { defineConfig } from 'vite'

// Relative addresses, so that any folder of any host can serve the page.
export default defineConfig({
  base: './',
  build: { target: 'es2022', chunkSizeWarningLimit: 1000 },
  worker: { format: 'es' },
})
