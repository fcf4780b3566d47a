import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createQueryHarness, type QueryHarness } from './asking.ts'

let harness: QueryHarness

beforeAll(async () => {
  harness = await createQueryHarness()
})

afterAll(() => harness[Symbol.asyncDispose]())

describe('cli.nl about several tenants', () => {
  it.each([
    [
      'status of hearth and the mill',
      '= Hearth & Oat: 3 approvals waiting, 1 of high risk; 1 at work, 0 blocked; 1 agent in error; $3.25 spent this month. Rye Mill: 2 approvals waiting',
    ],
    [
      'what waits for Rye Mill and Hearth?',
      '= 2 approvals of Rye Mill wait for a verdict. The oldest has waited for 26 h. 3 approvals of Hearth & Oat wait',
    ],
    [
      'what failed at hearth or rye mill',
      '= 1 piece of work of Hearth & Oat has failed. No piece of work of Rye Mill has failed.',
    ],
    [
      'which agents are paused at {MILL}, hearth & oat',
      '= 1 agent of Rye Mill is paused. No agent of Hearth & Oat is paused.',
    ],
    [
      'what did Hearth & Oat and Rye Mill cost',
      '= Everything of Hearth & Oat cost $3.25 this month. Most of it went to Social writer ($2.00). Everything of Rye Mill cost $0.50 this month.',
    ],
    ['compare the cost of {HEARTH} with {MILL}', '= Everything of Hearth & Oat cost $3.25 this month.'],
    ['show me "Cinnamon secrets" of hearth and rye mill', '? Nothing is called "Cinnamon secrets"'],
  ])('answers "%s" for each, in the order in which they are named', async (query, wanted) => {
    expect(await harness.line(query)).toContain(wanted)
  })

  it('returns one table with the tenant in each row', async () => {
    const { data } = await harness.ask('cost of hearth and rye mill')
    expect(data?.table?.map(([tenant, agent, cost]) => [tenant, agent, cost])).toEqual([
      ['Tenant', 'Agent', 'Cost'],
      ['Hearth & Oat', 'Social writer', '$2.00'],
      ['Hearth & Oat', 'Blog writer', '$1.25'],
      ['Rye Mill', 'Social writer', '$0.50'],
    ])
    const both = await harness.ask('what waits for rye mill and hearth')
    expect(both.data?.table?.map((line) => line[2])).toEqual([
      'Tenant',
      'Rye Mill',
      'Rye Mill',
      'Hearth & Oat',
      'Hearth & Oat',
      'Hearth & Oat',
    ])
  })

  it.each([
    [
      'approve everything of hearth and rye mill',
      ['/bulk approve --tenant HEARTH', '/bulk approve --tenant MILL'],
    ],
    [
      'approve everything of tenant {HEARTH} and tenant {MILL}',
      ['/bulk approve --tenant HEARTH', '/bulk approve --tenant MILL'],
    ],
    [
      'reject all low risk of Hearth & Oat, Rye Mill because we start anew',
      [
        '/bulk reject --risk low --tenant HEARTH --note "we start anew"',
        '/reject guide --note "we start anew"',
      ],
    ],
    [
      'pause the blog writer of hearth and rye mill',
      ['/pause blog_writer --tenant HEARTH', '/pause blog_writer --tenant MILL'],
    ],
    [
      'send everything of hearth and rye mill back: shorter',
      ['/revise profile spring oats --note shorter', '/revise voice guide --note shorter'],
    ],
    [
      'run social writer for hearth and rye mill: write about rye',
      [
        '/run social_writer "write about rye" --tenant HEARTH',
        '/run social_writer "write about rye" --tenant MILL',
      ],
    ],
  ])('requires a choice of one tenant for "%s"', async (query, wanted) => {
    const named = query.replace(/\{(\w+)\}/g, (_, name: string) => harness.ids[name] ?? '')
    const { clarification } = await harness.ask(named)
    expect(clarification?.question).toBe('One tenant at a time: which one comes first?')
    const chosen = await Promise.all((clarification?.options ?? []).map((option) => harness.line(option)))
    expect(chosen).toEqual(wanted)
  })

  it('asks which tenant is meant when names are separated, and does not take a part of a title for one', async () => {
    expect(await harness.line('approve the Rye Mill piece that Hearth & Oat wanted')).toMatch(
      /^\? Which tenant do you mean/,
    )
    expect(await harness.line('approve the rye flour guide')).toBe('/approve guide')
  })
})
