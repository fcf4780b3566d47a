import { fileURLToPath } from 'node:url'
import { build, type OutputChunk, type Plugin } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The two packages with binaries: the `dependencies` of the published package. */
const outside = ['better-sqlite3', '@node-rs/argon2']
/** Packages that bundled code tries to load and does without; nobody has them. */
const absent = ['pg-native', 'pg-cloudflare', 'cloudflare:sockets']

/** pdfkit looks for the measures of its fonts in files beside its own; in a bundle they are imported. */
const fontsOfPdfs: Plugin = {
  name: 'fonts-of-pdfs',
  transform(code, id) {
    if (!id.endsWith('/pdfkit/js/pdfkit.node.mjs')) return undefined
    const names = new Set<string>()
    const inlined = code.replace(/require\$1\('#standard-fonts\/(\w+)'\)/g, (_, name: string) => {
      names.add(name)
      return `font${name}`
    })
    if (names.size === 0) throw new Error('pdfkit loads its fonts in another way now')
    const imports = [...names].map((name) => `import font${name} from './standard-fonts/${name}.mjs'\n`)
    return imports.join('') + inlined
  },
}

/**
 * Bundles the program into `folder`: `main.mjs`, the threads that it starts, and the chunks that its commands load when they are used.
 * @returns the files of code that were written
 */
export async function bundle(folder: string): Promise<OutputChunk[]> {
  const { output } = await build({
    cwd: root,
    input: {
      main: 'packages/server/src/main.ts',
      // Started as a thread of its own, by the name of its file.
      'pdf-worker': 'packages/core/src/platform/pdf/pdf-worker.ts',
    },
    platform: 'node',
    external: [...outside, ...absent],
    resolve: { conditionNames: ['@copydesk/source', 'node'] },
    plugins: [fontsOfPdfs],
    logLevel: 'warn',
    onLog(level, log, print) {
      // Bundled packages use `eval` and load each other in circles; that is theirs, and it works.
      if (!log.message.includes('node_modules')) print(level, log)
    },
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunks/[name]-[hash].mjs',
      comments: { legal: true, annotation: false, jsdoc: false },
    },
  })
  return output.filter((file): file is OutputChunk => file.type === 'chunk')
}
