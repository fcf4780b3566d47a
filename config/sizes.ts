import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Lines from which on a file is named as long, and over which it is refused. */
const long = 200
const tooLong = 300

interface Size {
  file: string
  lines: number
}

/** @returns one line for each file of code that has more than 300 lines */
export function sizeFaults(root: string): string[] {
  return longFiles(root)
    .filter(({ lines }) => lines > tooLong)
    .map(
      ({ file, lines }) => `${file}: ${lines} lines; ${tooLong} are the most. Split it by what it is about.`,
    )
}

/** One line about the files that have more than 200 lines; undefined when there are none. */
export function sizeNotice(root: string): string | undefined {
  const sources = longFiles(root).filter(({ file }) => file.startsWith('packages/'))
  const shown = sources.slice(0, 5).map(({ file, lines }) => `${file} (${lines})`)
  return sources.length === 0
    ? undefined
    : `warning: ${sources.length} source files have more than ${long} lines, the longest ${shown.join(', ')}`
}

/** The longest first. */
function longFiles(root: string): Size[] {
  return globSync(['packages/*/src/**/*.{ts,tsx}', '{test,bench,config,examples}/**/*.ts'], { cwd: root })
    .filter((file) => !file.includes('node_modules'))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > long)
    .toSorted((a, b) => b.lines - a.lines)
}
