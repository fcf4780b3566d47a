import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commitFaults, faultsOf } from '../../config/commits.ts'

describe('faultsOf', () => {
  it.each([
    'fix(jobs): keep the lease of a job that is still running',
    'feat: serve webhooks',
    'refactor(reads, kernel): derive rows from entities\n\nThey were written twice.\n',
  ])('accepts %j', (message) => {
    expect(faultsOf(message)).toEqual([])
  })

  it.each([
    ['Fix the jobs', /not of the form/],
    ['fix: Keep the lease', /not of the form/],
    ['fix(jobs): keep the lease.', /not of the form/],
    ['misc(jobs): keep the lease', /not of the form/],
    [`fix(jobs): keep ${'the lease '.repeat(7)}alive`, /its first line has 91 characters; 72 is the most/],
    ['fix(jobs): keep the lease\nIt was lost.', /an empty line is missing/],
  ])('refuses %j', (message, fault) => {
    expect(faultsOf(message)).toEqual([expect.stringMatching(fault)])
  })
})

describe('commitFaults', () => {
  it('names the commits since the rule was added, and nothing without a history', () => {
    const folder = mkdtempSync(join(tmpdir(), 'copydesk-commits-'))
    try {
      expect(commitFaults(folder)).toEqual([])
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: folder })
      const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '-m', message)
      git('init', '--quiet')
      commit('Before the check')
      mkdirSync(join(folder, 'config'))
      writeFileSync(join(folder, 'config/commits.ts'), '')
      git('add', '.')
      commit('chore(check): look at commits')
      commit('Something')
      commit('fix: change nothing')
      expect(commitFaults(folder)).toEqual([
        expect.stringMatching(/^commit [0-9a-f]+: "Something" is not of/),
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
