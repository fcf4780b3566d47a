import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createQueryHarness, type QueryHarness } from './asking.ts'

let harness: QueryHarness

beforeAll(async () => {
  harness = await createQueryHarness()
})

afterAll(() => harness[Symbol.asyncDispose]())

/** What was said or done, what is asked for then, and the command, or the question that comes back. */
const talks: ReadonlyArray<readonly [string[], string, string]> = [
  [['/show {spring}'], 'approve it', '/approve spring'],
  [['/show {spring}', '/show {guide}'], 'approve that', '/approve guide'],
  [['show me the rye flour guide'], 'approve it', '/approve guide'],
  [
    ['show me the rye flour guide', 'what happened to it?'],
    'send it back because it is long',
    '/revise guide --note "it is long"',
  ],
  [['what waits for rye mill'], 'approve the first one', '/approve voice'],
  [['what waits for rye mill'], 'claim the second', '/claim guide'],
  [['what waits for rye mill'], 'approve them', '/approve voice guide'],
  [['/queue --status failed'], 'retry it', '/retry letter'],
  [
    ['/approve {spring} {guide}'],
    'reject these because of the tone',
    '/reject spring guide --note "the tone"',
  ],
  [['/show {letter}'], 'what happened to it', '= "Summer newsletter"'],
  [
    ['/pause social_writer --tenant {MILL}'],
    'resume that agent',
    '? The social writer of Rye Mill is not paused.',
  ],
  [['which agents are paused?'], 'resume that agent', '/resume auditor --tenant MILL'],
  [['reject the spring menu post'], 'the tone is off', '/reject spring --note "the tone is off"'],
  [['cancel {teaser}'], 'nobody needs it', '/cancel teaser --reason "nobody needs it"'],
  [
    ['run social_writer for rye mill'],
    'write about spelt',
    '/run social_writer "write about spelt" --tenant MILL',
  ],
  [['snooze {guide}'], 'until monday', '/snooze guide --until 2026-04-13T08:00:00.000Z'],
  [['pause the social writer'], 'Rye Mill', '/pause social_writer --tenant MILL'],
  [['pause the social writer'], 'the second one', '/pause social_writer --tenant MILL'],
  [['approve the low risk one of hearth'], '2', '/approve oats'],
  [['/show {theirs}'], 'approve it', '? It is not clear what "it" is.'],
]

describe('cli.nl understands requests for operations', () => {
  it.each(talks)('after %j: %s', async (history, query, wanted) => {
    expect(await harness.line(query, history)).toContain(wanted)
  })

  it('returns proposals that are understood when sent back', async () => {
    for (const query of [
      'approve',
      'pause the social writer',
      'stop the easter teaser',
      'snooze {guide}',
      'run social_writer: say hello',
    ]) {
      const { clarification } = await harness.ask(
        query.replace(/\{(\w+)\}/g, (_, name: string) => harness.ids[name] ?? ''),
      )
      for (const option of clarification?.options ?? []) {
        const answer = await harness.ask(option, { history: [query] })
        const told = answer.action?.command ?? answer.clarification?.question
        expect(told, option).not.toMatch(/not understood|not clear|Which/)
      }
      expect(clarification?.options?.length).toBeGreaterThan(1)
    }
  })
})
