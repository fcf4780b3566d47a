import type { z } from 'zod'
import { Options } from './option-schema.ts'
import type { CopydeskOptions } from './options.ts'

/**
 * Looks at the options before anything is made of them.
 * @throws TypeError that names every option at fault, what is wrong with it, and what it should be
 */
export function checkOptions(options: CopydeskOptions): void {
  // Used once, so that making functions for it would take longer than it takes.
  const { success, error } = Options.safeParse(options, { jitless: true })
  if (success) return
  const lines = error.issues.flatMap((issue) => faultsOf(issue, []))
  throw new TypeError(
    lines.length === 1
      ? `createCopydesk: ${lines[0]}`
      : `createCopydesk: ${lines.length} options cannot be used:\n  ${lines.join('\n  ')}`,
  )
}

type Issue = z.core.$ZodIssue

function faultsOf(issue: Issue, base: readonly PropertyKey[]): string[] {
  const path = [...base, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${nameOf([...path, key])}: there is no such option`)
  if (issue.code === 'invalid_union') {
    // Of all forms that were tried, the one that fails deepest is the one that was meant.
    const [meant] = issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a))
    if (meant && depthOf(meant) > 0) return meant.flatMap((inner) => faultsOf(inner, path))
  }
  return [`${nameOf(path)}: ${inWords(issue.message)}`]
}

const depthOf = (issues: readonly Issue[]) =>
  Math.max(0, ...issues.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0)))

function nameOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the options'
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('')
}

function inWords(message: string): string {
  const type = /^Invalid input: expected (.+), received (.+)$/.exec(message)
  if (type) return type[2] === 'undefined' ? 'is missing' : `must be of type ${type[1]}, not ${type[2]}`
  const choices = /^Invalid option: expected one of (.+)$/.exec(message)?.[1]
  return choices ? `must be one of ${choices.replaceAll('"', '').replaceAll('|', ', ')}` : message
}
