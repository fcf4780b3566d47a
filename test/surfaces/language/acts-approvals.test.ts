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

describe('cli.nl understands requests for operations', () => {
  it.each(acts)('%s', async (query, wanted) => {
    expect(await harness.line(query)).toContain(wanted)
  })
})
