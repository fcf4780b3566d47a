import { sep } from 'node:path'
import type { ModuleInfo, Plugin } from 'rolldown'

/** An import of a module of node's own, as it is written at the head of a file: by names, whole, or its default. */
const ownImport =
  /^import (?:(?<standard>[\w$]+)(?:, )?)?(?:\{ (?<names>[^}]*) \}|\* as (?<whole>[\w$]+))? ?from "(?<module>node:[\w/]+)";$/gm

/**
 * Takes what is used of node's own modules, and no more. An `import` of one of them reads each of its properties, and one of those of
 * `node:http` loads a client for WebSockets: that alone takes nearly as long as node needs to start.
 */
export const ownModules: Plugin = {
  name: 'own-modules',
  renderChunk: (code) =>
    code.replace(ownImport, (...found) => {
      const { standard, names, whole, module } = found.at(-1) as Record<string, string | undefined>
      // A file may have a `process` of its own.
      const taken = `globalThis.process.getBuiltinModule("${module}")`
      const named = names && `{ ${names.replaceAll(' as ', ': ')} }`
      return [standard, whole, named].flatMap((each) => (each ? [`const ${each} = ${taken};`] : [])).join(' ')
    }),
}

/** Groups of modules that are loaded together, each in one file. */
export interface LoadedTogether {
  plugin: Plugin
  groups: Array<{ name: string; test(id: string): boolean }>
}

/**
 * Finds out which modules every server loads one after the other, such as those with which it starts. In one file they are read and linked in a
 * third of the time that they need in a hundred. Modules that threads or commands for a server somewhere else need as well stay in files of
 * their own, so that those load no more than before.
 * @param groups by the name of their file, in the order in which they are loaded, what each begins with: paths of modules, from the root
 * @param elsewhere what is used without a server of one's own: paths of modules, or of folders with `/` at the end
 * @param program the entry that is no thread: the path of its module
 */
export function loadedTogether(
  groups: Readonly<Record<string, readonly string[]>>,
  elsewhere: readonly string[],
  program: string,
): LoadedTogether {
  const groupOf = new Map<string, string>()
  return {
    groups: Object.keys(groups).map((name) => ({ name, test: (id) => groupOf.get(id) === name })),
    plugin: {
      name: 'loaded-together',
      buildEnd(error) {
        if (error) return
        const all = [...this.getModuleIds()]
        const get = (id: string) => this.getModuleInfo(id)
        const at = (id: string, paths: readonly string[]) =>
          paths.some((path) => id.includes(`${sep}${path.replaceAll('/', sep)}`))
        const entries = all.filter((id) => get(id)?.isEntry)
        const threads = entries.filter((id) => !at(id, [program]))
        const others = new Set([
          ...withImports([...entries, ...all.filter((id) => at(id, elsewhere))], get),
          ...withImports(threads, get, 'also later'),
        ])
        for (const [name, start] of Object.entries(groups)) {
          const first = all.filter((id) => at(id, start))
          for (const id of withImports(first, get))
            if (!others.has(id) && !groupOf.has(id)) groupOf.set(id, name)
        }
      },
    },
  }
}

/** The modules, and all that are loaded together with them. @param when `also later`: those too that are loaded when they are used */
function withImports(
  ids: readonly string[],
  get: (id: string) => ModuleInfo | null,
  when: 'at once' | 'also later' = 'at once',
): Set<string> {
  const found = new Set(ids)
  // Goes on over what is added on the way.
  for (const id of found) {
    const { importedIds = [], dynamicallyImportedIds = [] } = get(id) ?? {}
    for (const imported of importedIds) found.add(imported)
    if (when === 'also later') for (const imported of dynamicallyImportedIds) found.add(imported)
  }
  return found
}
