import { enableCompileCache } from 'node:module'

// Before anything else is loaded: caches compiled code for the next start.
enableCompileCache()
const { run } = await import('./run.ts')
await run(process.argv.slice(2))
