import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('docs/security.md names only files that are there', () => {
  const text = readFileSync(`${root}/docs/security.md`, 'utf8')
  const named = [...text.matchAll(/`((?:test|config)\/[^`]+)`/g)].map((match) => match[1] as string)
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((file) => !existsSync(`${root}/${file}`))).toEqual([])
})
