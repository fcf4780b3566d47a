import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type ChangedEndpoints, endpointsBehind, type Import } from './changed-endpoints.ts'

/** What `npm test -- changed` runs. All paths are relative to the root, with `/`. */
export interface ChangedTests extends ChangedEndpoints {
  /** The files that differ from the base, deleted ones left out. */
  changed: string[]
  /** Test files, the nearest to the change first. */
  chosen: string[]
  /** How many more tests the change reaches that did not fit. */
  left: number
  /** True where the change touches what differs between the databases, so that both are asked. */
  bothDatabases: boolean
}

/**
 * Seconds of tests that are chosen, by what each file took last time; a file that never ran counts `unknownS`. There is less
 * time where endpoints are tried beside.
 */
const budgetS = { alone: 40, withEndpoints: 25 }
const unknownS = 3

/** Everything reaches everything through these, so the way from a change to its tests ends there. */
const hubs =
  /^packages\/core\/src\/(?:index|composition\/[\w-]+|kernel\/services|surfaces\/(?:surfaces|describe|\w+\/index))\.ts$|^packages\/client\/src\/index\.ts$|^packages\/(?:server|terminal)\/src\/(?:main|index)\.ts$/
const bothFor =
  /queries\.ts$|\/migrations\/|\/entit(?:y|ies)\.ts$|-entity\.ts$|core\/src\/platform\/(?:database|events|jobs)\//

/**
 * Chooses the tests that a change is most likely to have broken: the changed tests themselves, those that import what was
 * changed, and those that name an endpoint behind which it stands. The distance along the imports decides the order, of
 * equally near ones the quickest goes first, and the time that the tests took last decides how many there are.
 * @param base a revision of git; default: the last commit when nothing is uncommitted, else what is uncommitted
 * @throws Error with what git said when there is no such revision
 */
export function changedTests(root: string, base?: string): ChangedTests {
  const changed = changedFiles(root, base)
  const durations = lastDurations(root)
  const secondsOf = (test: string) => durations.get(test) ?? unknownS
  const sources = readSources(root)
  const distances = distancesOf(sources, changed)
  const behind = endpointsBehind(distances, sources.texts, sources.importsOf)
  const budget = behind.endpoints.length > 0 ? budgetS.withEndpoints : budgetS.alone
  const tests = [...testsOf(sources, distances)]
    .sort(([a, near], [b, far]) => near - far || secondsOf(a) - secondsOf(b))
    .map(([test]) => test)
  let seconds = 0
  const chosen = tests.filter((test, index) => {
    seconds += secondsOf(test)
    return index === 0 || seconds <= budget
  })
  return {
    changed,
    chosen,
    left: tests.length - chosen.length,
    ...behind,
    bothDatabases: changed.some((file) => bothFor.test(file)),
  }
}

function changedFiles(root: string, base: string | undefined): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      .split('\n')
      .filter((line) => line !== '')
  const untracked = git('ls-files', '--others', '--exclude-standard')
  const uncommitted = [...git('diff', '--name-only', 'HEAD'), ...untracked]
  const found = base
    ? [...git('diff', '--name-only', base, '--'), ...untracked]
    : uncommitted.length > 0
      ? uncommitted
      : git('diff', '--name-only', 'HEAD~1', '--')
  return [...new Set(found)].filter((file) => existsSync(join(root, file))).sort()
}

interface Sources {
  texts: ReadonlyMap<string, string>
  importsOf(file: string): readonly Import[]
}

function readSources(root: string): Sources {
  const files = globSync(['packages/*/src/**/*.{ts,tsx}', 'test/**/*.ts'], { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.includes('node_modules'))
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  return { texts, importsOf: (file) => importsIn(root, file, texts.get(file) ?? '') }
}

/** How far each file that the change reaches is from it along the imports. */
function distancesOf({ texts, importsOf }: Sources, changed: readonly string[]): Map<string, number> {
  const importers = new Map<string, string[]>()
  for (const file of texts.keys())
    for (const { target } of importsOf(file)) importers.set(target, [...(importers.get(target) ?? []), file])
  const distances = new Map<string, number>()
  let edge = changed.filter((file) => texts.has(file))
  for (let distance = 0; edge.length > 0; distance += 1) {
    for (const file of edge) distances.set(file, distance)
    edge = [
      ...new Set(edge.filter((file) => !hubs.test(file)).flatMap((file) => importers.get(file) ?? [])),
    ].filter((file) => !distances.has(file))
  }
  return distances
}

/** @returns tests that the change reaches, and how far they are from it */
function testsOf({ texts }: Sources, distances: ReadonlyMap<string, number>): Map<string, number> {
  const isTest = (file: string) => file.endsWith('.test.ts')
  const score = new Map<string, number>()
  const reach = (test: string, distance: number) =>
    score.set(test, Math.min(distance, score.get(test) ?? Number.POSITIVE_INFINITY))
  const names: Array<{ name: string; distance: number }> = []
  for (const [file, distance] of distances) {
    if (isTest(file)) reach(file, distance)
    for (const name of namesIn(file, texts.get(file) ?? '')) names.push({ name, distance })
  }
  for (const [file, text] of texts) {
    if (!isTest(file)) continue
    for (const { name, distance } of names) if (text.includes(name)) reach(file, distance + 1)
  }
  return score
}

/** What tests call an endpoint or a command by, quoted as they write it. */
function namesIn(file: string, text: string): string[] {
  if (file.includes('/surfaces/')) {
    return [...text.matchAll(/\b(?:id|route): ('[^']+')/g)].flatMap(([, name]) => name ?? [])
  }
  if (file.includes('/commands/')) {
    return [...text.matchAll(/\.command\('([\w-]+)/g)].flatMap(([, name]) => (name ? [`'${name}'`] : []))
  }
  return []
}

const packages: Readonly<Record<string, string>> = {
  '@copydesk/core': 'packages/core/src/index.ts',
  '@copydesk/language': 'packages/language/src/index.ts',
  '@copydesk/writer': 'packages/writer/src/index.ts',
  '@copydesk/client': 'packages/client/src/index.ts',
  '@copydesk/client/agent': 'packages/client/src/agent.ts',
}

/** What a file imports of this repository. */
function importsIn(root: string, file: string, text: string): Import[] {
  return [...text.matchAll(/(?:^(?:import|export)\b([^'";]*?)from |\bimport\(|^import )'([^']+)'/gm)].flatMap(
    ([, clause = '', name = '']) => {
      const target = name.startsWith('.')
        ? relative(root, resolve(root, dirname(file), name)).replaceAll('\\', '/')
        : packages[name]
      const namespace = /\* as (\w+)/.exec(clause)?.[1]
      return target ? [{ target, names: namesOf(clause), ...(namespace !== undefined && { namespace }) }] : []
    },
  )
}

/** The names of `{ a, b as c }`, as the file calls them. */
function namesOf(clause: string): string[] {
  if (clause.includes('* as')) return []
  return clause
    .replace(/^\s*type\b/, '')
    .replace(/[{}]/g, '')
    .split(',')
    .map((part) => part.trim().split(/\s+/).at(-1) ?? '')
    .filter((name) => /^[\w$]+$/.test(name))
}

/** Seconds by test file, from the runner's own record of the last runs. */
function lastDurations(root: string): Map<string, number> {
  const found = new Map<string, number>()
  for (const file of globSync('node_modules/.vite/vitest/*/results.json', { cwd: root })) {
    const { projects = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      projects?: Record<string, { files: Record<string, { duration: number }> }>
    }
    for (const { files } of Object.values(projects))
      for (const [test, { duration }] of Object.entries(files))
        found.set(test, Math.max(found.get(test) ?? 0, duration / 1000))
  }
  return found
}
