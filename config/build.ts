import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'
import { licenceFile, licenceNotes } from './licences.ts'

/** Builds dist/: the program, the script of the API reference page, and the licences of all that is in them. */
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
const chunks = await bundle(dist)
writeFileSync(join(dist, 'LICENSES.txt'), licenceNotes(chunks.flatMap((chunk) => chunk.moduleIds)))

const reference = join(root, 'node_modules', '@scalar', 'api-reference')
mkdirSync(join(dist, 'reference'))
copyFileSync(join(reference, 'dist', 'browser', 'standalone.js'), join(dist, 'reference', 'standalone.js'))
writeFileSync(join(dist, 'reference', 'LICENSE.txt'), licenceFile(reference))

const kilobytes = Math.round(chunks.reduce((sum, chunk) => sum + chunk.code.length, 0) / 1024)
console.log(`dist: ${chunks.length} files of code, ${kilobytes} KB`)
