import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createQueryHarness, type QueryHarness } from './asking.ts'

let harness: QueryHarness

beforeAll(async () => {
  harness = await createQueryHarness()
})

afterAll(() => harness[Symbol.asyncDispose]())

/** What is asked for, and the command, or the question that comes back. */
const acts: ReadonlyArray<readonly [string, string]> = [
  // Verdicts on one thing.
  ['approve {spring}', '/approve spring'],
  ['approve the spring menu post', '/approve spring'],
  ['Please approve "Spring menu post".', '/approve spring'],
  ['could you approve the Spring menu post for Hearth & Oat?', '/approve spring'],
  ['aprove the spring menu post', '/approve spring'],
  ['accept rye flour guide', '/approve guide'],
  ['sign off on the rye flour guide', '/approve guide'],
  ['give the green light to the rye flour guide', '/approve guide'],
  ['the rye flour guide looks good, approve', '/approve guide'],
  ['approve {spring} and {guide}', '/approve spring guide'],
  ['approve the rye flour guide', '/approve guide'],
  ['approve {spring-work}', '/approve spring'],
  ['approve {spring} with note "Lovely opening"', '/approve spring --note "Lovely opening"'],
  ['approve the high risk one', '/approve profile'],
  ['approve the blog post of rye mill', '/approve guide'],
  ['reject {spring} because the tone is off', '/reject spring --note "the tone is off"'],
  ['reject the spring menu post: too long', '/reject spring --note "too long"'],
  ['decline the spring menu post, the prices are wrong', '/reject spring --note "the prices are wrong"'],
  ['turn down "Spring menu post" - it says "best" twice', '/reject spring --note "it says \\"best\\" twice"'],
  ['reject {spring} "Too long"', '/reject spring --note "Too long"'],
  ['send back the rye flour guide because it needs sources', '/revise guide --note "it needs sources"'],
  ['send the rye flour guide back: add sources', '/revise guide --note "add sources"'],
  ['ask for changes to the rye flour guide: shorter please', '/revise guide --note "shorter please"'],
  ['request a revision of {guide} with the note shorter', '/revise guide --note shorter'],
  ['reject the spring menu post', '? What is wrong with "Spring menu post" of Hearth & Oat?'],
  ['send {guide} back', '? What is wrong with "Rye flour guide" of Rye Mill?'],
  // Several at once.
  ['approve all low risk', '/bulk approve --risk low'],
  ['approve everything low-risk of Hearth', '/bulk approve --risk low --tenant HEARTH'],
  [
    'approve all low risk posts of hearth & oat older than 30 minutes',
    '/bulk approve --risk low --tenant HEARTH --older 30',
  ],
  ['approve everything for rye mill', '/bulk approve --tenant MILL'],
  ['approve all blog posts', '/bulk approve --ids oats,guide'],
  ['approve everything', '/bulk approve --ids profile,voice,spring,oats,guide'],
  [
    'reject all approvals of rye mill because we start anew',
    '/bulk reject --tenant MILL --note "we start anew"',
  ],
  ['reject everything from Rye Mill', '? What is wrong with 2 approvals?'],
  ['approve', '? Which one do you mean?'],
  [
    'approve the low risk one of hearth',
    '? Which one do you mean? [approve spring ("Spring menu post, Hearth & Oat")]',
  ],
  // What belongs to approvals.
  [
    'escalate the spring menu post because it goes out today',
    '/escalate spring --risk medium --reason "it goes out today"',
  ],
  [
    'escalate {spring} to high risk: the lawyer has to look',
    '/escalate spring --risk high --reason "the lawyer has to look"',
  ],
  ['escalate {profile}', '? "Opening hours on the profile" of Hearth & Oat has a high risk already.'],
  ['escalate {voice}', '? Why is the risk of "New voice for the miller"'],
  ['claim the spring menu post', '/claim spring'],
  ["I'll take the rye flour guide", '/claim guide'],
  ['assign {guide} to me', '/claim guide'],
  ['release {guide}', '/release guide'],
  ['let go of the rye flour guide', '/release guide'],
  ['send the rye flour guide to the client', '/forward guide'],
  [
    'forward {guide} with the note please check the numbers',
    '/forward guide --note "please check the numbers"',
  ],
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
  // What is not to be done, and what is not clear.
  ["don't approve the spring menu post", '? You say what is not to be done'],
  ['do not reject anything', '? You say what is not to be done'],
  [
    'approve the spring menu post and reject the rye flour guide',
    '? One thing at a time: what comes first? [approve the spring menu post] [reject the rye flour guide]',
  ],
  ['approve the pumpkin soup', '? Nothing that waits for a verdict is called "pumpkin soup"'],
  [
    'approve the spring soup',
    '? Nothing that waits for a verdict is called "spring soup". Do you mean one of these? [approve spring',
  ],
  ['approve {theirs}', '? Nothing with the id theirs is known here.'],
  ['approve "Cinnamon secrets"', '? Nothing that waits for a verdict is called "Cinnamon secrets"'],
  ['approve everything for Zanzibar Spice', '? There is nothing called "zanzibar spice"'],
  ['approve {letter}', '? Nobody is asked about "Summer newsletter" of Hearth & Oat'],
  // What bounds a request and is not understood is never left out.
  ['approve everything except high risk', '? Exceptions and conditions are not understood'],
  ['approve all that are not high risk', '? Exceptions and conditions are not understood'],
  ['approve everything but the spring menu post', '? Exceptions and conditions are not understood'],
  ['approve {spring} if the client agrees', '? Exceptions and conditions are not understood'],
  ['approve all low risk newer than an hour', '? Not all of it was understood: "newer than hour"'],
  ['approve some low risk posts', '? Not all of it was understood: "some"'],
  ['approve all approvals claimed by me', '? Not all of it was understood: "claimed"'],
  ['approve 3 low risk posts', '? Not all of it was understood: "3"'],
  ['approve these: {spring}, {guide}', '/approve spring guide'],
  ['approve it', '? It is not clear what "it" is.'],
]

/** The same after something was said or done. */
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
  it.each(acts)('%s', async (query, wanted) => {
    expect(await harness.line(query)).toContain(wanted)
  })

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
