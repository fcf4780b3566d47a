import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createQueryHarness, type QueryHarness } from './asking.ts'

let harness: QueryHarness

beforeAll(async () => {
  harness = await createQueryHarness()
})

afterAll(() => harness[Symbol.asyncDispose]())

/** What is asked for, and the command, or the question that comes back. */
const acts: ReadonlyArray<readonly [string, string]> = [
  // Work.
  ['pause the easter teaser', '/pause teaser'],
  ['put the easter teaser on hold because the shop is closed', '/pause teaser --reason "the shop is closed"'],
  ['pause {teaser}', '/pause teaser'],
  ['pause "Winter recap"', '? "Winter recap" of Hearth & Oat is done: only work in progress can be paused.'],
  ['resume the farmers market ads', '/resume market'],
  ['continue with {market}', '/resume market'],
  [
    'resume the easter teaser',
    '? "Easter teaser" of Hearth & Oat is in progress: only what is paused can be resumed.',
  ],
  ['retry the summer newsletter', '/retry letter'],
  ['try the summer newsletter again', '/retry letter'],
  ['retry the failed one', '/retry letter'],
  ['rerun {letter}', '/retry letter'],
  ['cancel the easter teaser because it is not wanted', '/cancel teaser --reason "it is not wanted"'],
  ['cancel {teaser}', '? Why is "Easter teaser" of Hearth & Oat cancelled?'],
  [
    'stop the easter teaser',
    '? Is the work to be paused, to go on later, or cancelled for good? [pause teaser',
  ],
  ['follow the easter teaser', '/tail teaser'],
  ['compare the versions of the rye flour guide', '/show guide'],
  ['open {guide}', '/show guide'],
  ['open the queue', '/queue'],
  // Agents.
  ['pause the social writer of Hearth & Oat', '/pause social_writer --tenant HEARTH'],
  [
    'pause social_writer for rye mill because of holidays',
    '/pause social_writer --tenant MILL --reason holidays',
  ],
  ['resume the auditor of rye mill', '/resume auditor --tenant MILL'],
  ['resume the auditor', '/resume auditor --tenant MILL'],
  [
    'pause the social writer',
    '? Which agent is to be paused? [pause social_writer for tenant HEARTH ("Hearth & Oat")] [pause social_writer for tenant MILL ("Rye Mill")]',
  ],
  ['pause the writer of rye mill', '? Which agent is to be paused?'],
  ['pause the auditor of rye mill', '? The auditor of Rye Mill is paused already.'],
  ['run social_writer for Rye Mill: write about rye', '/run social_writer "write about rye" --tenant MILL'],
  ['run the social writer for rye mill "Say \\"hello\\" to spring"', '/run social_writer'],
  [
    'ask the blog writer of rye mill to write a guide to spelt',
    '/run blog_writer "write a guide to spelt" --tenant MILL',
  ],
  [
    'have the social writer at Hearth announce the new oven',
    '/run social_writer "announce the new oven" --tenant HEARTH',
  ],
  [
    'write a blog post about rye for Rye Mill',
    '/run blog_writer "write a blog post about rye" --tenant MILL',
  ],
  ['run social_writer for rye mill', '? What is the social writer of Rye Mill to do?'],
  [
    'run social_writer: hello',
    '? For which tenant is the social writer to work? [run social_writer for tenant HEARTH ("Hearth & Oat"): hello]',
  ],
  // Putting aside.
  ['snooze the spring menu post until tomorrow', '/snooze spring --until 2026-04-11T08:00:00.000Z'],
  ['snooze {guide} until monday 14:30', '/snooze guide --until 2026-04-13T13:30:00.000Z'],
  ['remind me of the rye flour guide on 2026-04-20', '/snooze guide --until 2026-04-20T08:00:00.000Z'],
  ['snooze the spring menu post', '? Until when is "Spring menu post" of Hearth & Oat to be put aside?'],
  ['dismiss the summer newsletter', '/dismiss letter'],
  ['hide {guide}', '/dismiss guide'],
  [
    'dismiss {profile}',
    '? "Opening hours on the profile" of Hearth & Oat has a high risk: it stays in sight',
  ],
]

describe('cli.nl understands requests for operations', () => {
  it.each(acts)('%s', async (query, wanted) => {
    expect(await harness.line(query)).toContain(wanted)
  })

  it('reports what is hard to undo, and the rows that it would affect', async () => {
    const bulk = await harness.ask('approve all low risk')
    expect(bulk.action).toMatchObject({
      destructive: true,
      description: 'Approve 3 approvals',
      preview: expect.stringContaining(
        '3 approvals of Hearth & Oat, Rye Mill: "Spring menu post" (Hearth & Oat, low risk)',
      ),
    })
    const gentle = [
      'pause the easter teaser',
      'resume {market}',
      'claim {guide}',
      'release {guide}',
      'snooze {guide} until tomorrow',
      'dismiss {guide}',
    ]
    const hard = [
      'approve {guide}',
      'reject {guide} because no',
      'send {guide} back: no',
      'retry {letter}',
      'cancel {teaser} because no',
      'forward {guide}',
      'escalate {guide} because so',
    ]
    const isHard = async (query: string) =>
      (await harness.ask(query.replace(/\{(\w+)\}/g, (_, name: string) => harness.ids[name] ?? ''))).action
        ?.destructive
    for (const query of gentle) expect(await isHard(query), query).toBe(false)
    for (const query of hard) expect(await isHard(query), query).toBe(true)
  })
})
