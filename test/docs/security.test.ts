import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}/docs/security.md`, 'utf8')
const namedFile = /`((?:test|config)\/[^`]+)`/g
/** Whose part something is, where nothing of ours could be tried. */
const anothers = /the operator's part|the portal's part|does not apply/i
/** These say what is not done. */
const withoutProof = ['What is left to the operator', 'What is not defended against']

/** Every row of a table and every item of a list, with what goes on in the lines below it. */
function claims(): string[] {
  const sections = page.split(/^## /m).filter((text) => !withoutProof.some((title) => text.startsWith(title)))
  return sections.flatMap((section) => {
    const found: string[] = []
    const lines = section.split('\n')
    for (const [index, line] of lines.entries()) {
      const isHead = line.startsWith('| --- ') || lines[index + 1]?.startsWith('| --- ') === true
      if (isHead) continue
      if (/^(?:\| |- |\d+\. )/.test(line)) found.push(line)
      else if (/^ +\S/.test(line) && found.length > 0) found.push(`${found.pop()} ${line.trim()}`)
    }
    return found
  })
}

describe('docs/security.md', () => {
  it('names the tests of each claim, or who is responsible', () => {
    expect(claims().length).toBeGreaterThan(75)
    expect(claims().filter((claim) => !claim.match(namedFile) && !anothers.test(claim))).toEqual([])
  })

  it('names only existing files', () => {
    const named = [...page.matchAll(namedFile)].map(([, file]) => file ?? '')
    expect(named.length).toBeGreaterThan(150)
    expect(named.filter((file) => !existsSync(`${root}/${file}`))).toEqual([])
  })
})
