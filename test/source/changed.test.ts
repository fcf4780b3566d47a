import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { changedTests } from '../../config/changed.ts'
import { definitionsIn, patternFor } from '../../config/changed-endpoints.ts'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'

const core = 'packages/core/src'

const table = (imports: string, endpoints: Record<string, [route: string, handler: string]>) =>
  [
    imports,
    ...Object.entries(endpoints).map(
      ([name, [route, handler]]) =>
        `export const ${name} = endpoint({\n  route: '${route}',\n}).handle(${handler})`,
    ),
  ].join('\n\n')

/** A reviewers' surface with two endpoints, the terminal's which delegates to it, and the services behind them. */
const sources: Record<string, string> = {
  [`${core}/domain/approvals/resolve.ts`]: 'export const resolve = 1',
  [`${core}/domain/approvals/claim.ts`]: 'export const claim = 1',
  [`${core}/surfaces/dm/access.ts`]: 'export const reviewers = 1',
  [`${core}/surfaces/dm/approvals.ts`]: table(
    `import { claim as claimApproval } from '../../domain/approvals/claim.ts'
import { resolve as resolveApproval } from '../../domain/approvals/resolve.ts'
import { reviewers } from './access.ts'

const access = reviewers`,
    {
      resolve: ['POST /approvals/:approvalId/resolve', 'resolveApproval'],
      claim: ['POST /approvals/:approvalId/claim', 'claimApproval'],
    },
  ),
  [`${core}/surfaces/cli/approvals.ts`]: table(`import * as dm from '../dm/approvals.ts'`, {
    resolve: ['POST /approvals/:id/resolve', 'dm.resolve'],
    claim: ['POST /approvals/:id/claim', 'dm.claim'],
  }),
  'test/resolve.test.ts': `import { resolve } from '../${core}/domain/approvals/resolve.ts'`,
  'test/claim.test.ts': `import { claim } from '../${core}/domain/approvals/claim.ts'`,
}

/** What is chosen in a repository of these sources after a change of one of them. */
function chosenFor(changed: string) {
  const folder = mkdtempSync(join(tmpdir(), 'copydesk-changed-'))
  try {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: folder })
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    git('init', '--quiet')
    for (const [file, text] of Object.entries(sources)) write(file, text)
    git('add', '.')
    git('commit', '--quiet', '-m', 'All')
    write(changed, `${sources[changed]}\n// Changed`)
    return changedTests(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const resolving = ['POST /dm/v1/approvals/:approvalId/resolve', 'POST /cli/v1/approvals/:id/resolve']
const claiming = ['POST /dm/v1/approvals/:approvalId/claim', 'POST /cli/v1/approvals/:id/claim']

describe('changedTests', () => {
  it('chooses the tests near a service, and the endpoints that call it, delegated ones too', () => {
    expect(chosenFor(`${core}/domain/approvals/resolve.ts`)).toMatchObject({
      changed: [`${core}/domain/approvals/resolve.ts`],
      chosen: ['test/resolve.test.ts'],
      endpoints: resolving,
      endpointsLeft: 0,
    })
  })

  it.each(['approvals', 'access'])('chooses all endpoints that %s.ts of a surface is about', (name) => {
    const { endpoints } = chosenFor(`${core}/surfaces/dm/${name}.ts`)
    expect(endpoints.toSorted()).toEqual([...resolving, ...claiming].toSorted())
  })

  it('chooses no endpoint for a test', () => {
    expect(chosenFor('test/claim.test.ts')).toMatchObject({ chosen: ['test/claim.test.ts'], endpoints: [] })
  })
})

describe('definitionsIn', () => {
  it('finds every endpoint in the text of its route table', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url))
    const found = globSync(`${core}/surfaces/*/*.ts`, { cwd: root }).flatMap((file) =>
      definitionsIn(file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')),
    )
    const names = new Set(found.map(({ endpoint }) => endpoint))
    const declared = describeSurfaces().map(({ method, path }) => `${method} ${path}`)
    expect(declared.filter((endpoint) => !names.has(endpoint))).toEqual([])
  })
})

describe('patternFor', () => {
  it('matches the generated tests of an endpoint, and of no other', () => {
    const endpoints = describeSurfaces().map(({ method, path }) => `${method} ${path}`)
    for (const endpoint of endpoints) {
      const pattern = new RegExp(patternFor([endpoint]))
      expect(endpoints.filter((other) => pattern.test(`${other} rejects what is wrong`))).toEqual([endpoint])
    }
  })
})
