import { keepCompiledCode } from './code-cache.ts'

// Before anything else is loaded.
keepCompiledCode()
const { run } = await import('./run.ts')
await run(process.argv.slice(2))
