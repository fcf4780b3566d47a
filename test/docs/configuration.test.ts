import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { settings } from '../../packages/server/src/config/settings.ts'

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
// Channels are alike: one row represents all of them.
const channel = /^channels\.[a-z_]+\./

describe('docs/configuration.md', () => {
  it('lists every setting and every variable', () => {
    const alone = settings.filter(({ path }) => !channel.test(path))
    const names = alone.flatMap(({ path, env }) => [path, ...env])
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it('marks exactly the secrets', () => {
    const marked = [...page.matchAll(/`([\w.]+)` 🔑/g)].map(([, name]) => name)
    const secrets = settings
      .filter(({ path, secret }) => secret && !channel.test(path))
      .map(({ path }) => path)
    expect(new Set(marked)).toEqual(new Set(secrets))
    expect(marked).toHaveLength(secrets.length)
  })
})
