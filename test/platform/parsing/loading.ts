import { registerHooks } from 'node:module'

/**
 * Reads a document in a process of its own, because modules stay loaded. Prints as JSON the kind of the document, and the packages
 * that the thread which asked for it has loaded. Arguments: the path of the document.
 */
const packages = new Set<string>()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(resolved.url) ?? []
    if (name) packages.add(name)
    return resolved
  },
})

const { createParser } = await import('../../../packages/core/src/platform/parsing/parser.ts')
const { createBree } = await import('../../../packages/core/src/platform/threads/bree.ts')
const { silentLogger } = await import('../../../packages/core/src/platform/logger.ts')
const bree = createBree({ log: silentLogger })
const thread = new URL('../../../packages/core/src/composition/document-thread.ts', import.meta.url)
const parser = createParser(bree, thread)
const [path = ''] = process.argv.slice(2)
const { kind } = await parser.parse({ path, fileName: 'a', engine: 'ADVANCED' }, { owner: 'a' })
console.log(JSON.stringify({ kind, packages: [...packages] }))
process.exit()
