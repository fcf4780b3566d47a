import { enableCompileCache } from 'node:module'

// Before anything else is loaded: what has been compiled once is not compiled at the next start.
enableCompileCache()
await import('./start.ts')
