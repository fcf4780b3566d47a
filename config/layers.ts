import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/**
 * The layers of `@copydesk/core` and the contexts of its domain, from the bottom up: what each may import beside itself, types
 * included. What a name may import, the names that import it may too. A name stands below those that use it, so there is no cycle.
 */
const mayImport = {
  platform: [],
  kernel: ['platform'],
  people: ['kernel'],
  accounts: ['people'],
  media: ['accounts'],
  agents: ['media'],
  work: ['agents'],
  knowledge: ['work'],
  delivery: ['work'],
  insight: ['knowledge', 'delivery'],
  language: ['insight'],
  chat: ['language'],
  gateway: ['kernel'],
  surfaces: ['gateway', 'chat'],
  composition: ['surfaces'],
  /** `index.ts`, the only way in. */
  entry: ['composition'],
} as const satisfies Record<string, readonly string[]>

type Layer = keyof typeof mayImport

const core = 'packages/core/src/'
const remedy =
  'the lower one declares a port or emits an event, and composition joins them (docs/architecture.md, "Contexts")'

/** The layer or context that a file of the core belongs to. @param file relative to `packages/core/src` */
function layerOf(file: string): string {
  const [folder = '', context = ''] = file.split('/')
  if (folder === 'domain') return context
  return file.includes('/') ? folder : 'entry'
}

function reachable(layer: Layer): ReadonlySet<string> {
  const found = new Set<string>([layer])
  // A set is walked on to what is added meanwhile.
  for (const each of found) for (const below of mayImport[each as Layer]) found.add(below)
  return found
}

/**
 * Finds imports that run against the layers, of values and of types.
 * @param files the text of files by their path relative to `packages/core/src`
 * @returns one line for each, in the form of a compiler's messages
 */
export function layerFaults(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([file, text]) => {
    const from = layerOf(file)
    if (!(from in mayImport))
      return [`${core}${file}:1: "${from}" is no layer or context of config/layers.ts`]
    const allowed = reachable(from as Layer)
    return text.split('\n').flatMap((line, index) =>
      [...line.matchAll(/(?:from |import\()'(\.{1,2}\/[^']+\.ts)'/g)]
        .map(([, path = '']) => layerOf(normalize(join(dirname(file), path))))
        .filter((to) => !allowed.has(to))
        .map((to) => `${core}${file}:${index + 1}: ${from} must not import ${to}: ${remedy}`),
    )
  })
}

/** The files of the core with their text, by path. */
export function readCore(root: string): Map<string, string> {
  const folder = join(root, core)
  return new Map(
    globSync('**/*.ts', { cwd: folder })
      .toSorted()
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  )
}
