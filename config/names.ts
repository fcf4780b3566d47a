import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm

/**
 * Names that two files of one package export: someone who reads one has to know which is meant. Endpoints are named as their
 * ids end, and each migration is called `migration`; they are told apart by their files.
 * @returns one line for each such name
 */
export function nameFaults(root: string): string[] {
  return globSync('packages/*', { cwd: root }).flatMap((folder) => {
    const files = new Map<string, Set<string>>()
    for (const file of globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: root })) {
      if (/\/(?:surfaces|migrations)\//.test(file)) continue
      for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(declaration)) {
        files.set(name, (files.get(name) ?? new Set()).add(file))
      }
    }
    return [...files]
      .filter(([, named]) => named.size > 1)
      .map(
        ([name, named]) =>
          `${[...named].join(', ')}: "${name}" is exported by more than one file; give each its own name`,
      )
  })
}
