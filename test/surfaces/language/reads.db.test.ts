import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createQueryHarness, type QueryHarness } from './asking.ts'

let harness: QueryHarness

beforeAll(async () => {
  harness = await createQueryHarness()
})

afterAll(() => harness[Symbol.asyncDispose]())

/** What is asked, and what the answer says. */
const facts: ReadonlyArray<readonly [string, string]> = [
  // What waits.
  ['what waits for me?', '= 5 approvals wait for a verdict. The oldest has waited for 26 h'],
  ['What is waiting', '= 5 approvals wait'],
  ['anything pending?', '= 5 approvals wait'],
  ['show me everything that needs approval', '= 5 approvals wait'],
  ['list open approvals please', '= 5 approvals wait'],
  ['what do I have to approve', '= 5 approvals wait'],
  ['how many approvals are waiting', '= 5 approvals wait'],
  ['what can I approve right now?', '= 5 approvals wait'],
  ['show me the top 3 approvals', '= 5 approvals wait'],
  ['what is there to review', '= 5 approvals wait'],
  ['whats waitng', '= 5 approvals wait'],
  ['the queue', '= 5 approvals wait'],
  ['what waits for Hearth & Oat', '= 3 approvals of Hearth & Oat wait'],
  ['what is pending for hearth and oat?', '= 3 approvals of Hearth & Oat wait'],
  ['what is pending at heart & oat?', '= 3 approvals of Hearth & Oat wait'],
  ["what's waiting for Hearth", '= 3 approvals of Hearth & Oat wait'],
  ["show Hearth's approvals", '= 3 approvals of Hearth & Oat wait'],
  ['pending for the mill', '= 2 approvals of Rye Mill wait'],
  ['pending for rye mill', '= 2 approvals of Rye Mill wait'],
  ['approvals for tenant {MILL}', '= 2 approvals of Rye Mill wait'],
  ['high risk', '= 1 approval with high risk waits'],
  ['show me the high-risk ones', '= 1 approval with high risk waits'],
  ['anything risky?', '= 1 approval with high risk waits'],
  ['low risk approvals of hearth', '= 2 approvals with low risk of Hearth & Oat wait'],
  ['what is waiting with medium or high risk', '= 2 approvals with medium or high risk wait'],
  ['what has been waiting for more than 2 hours', '= 4 approvals older than 2 h'],
  ['approvals older than 3 hours', '= 3 approvals older than 3 h wait'],
  ['pending older than a day', '= 1 approval older than 24 h waits'],
  ['show me blog posts that wait', '= 2 approvals of type blog post wait'],
  ['which articles are waiting for review', '= 2 approvals of type blog post wait'],
  ['brand questions', '= 1 approval about brand direction waits'],
  ['what expires today', '= 1 approval expiring today waits'],
  ['anything expiring soon?', '= 2 approvals expiring within 24 h wait'],
  ['what expires in the next 6 hours', '= 1 approval expiring within 6 h waits'],
  ['who is waiting?', '= 2 tenants wait for verdicts, the longest for 26 h'],
  ['which clients are waiting', '= 2 tenants wait'],
  // How work stands.
  ['what is running?', '= 1 piece of work is being worked on'],
  ['what is being written right now', '= 1 piece of work is being worked on'],
  ['show running work of rye mill', '= No piece of work of Rye Mill'],
  ["what's blocked", '= 2 pieces of work are blocked'],
  ['what is stuck at the rye mill?', '= 2 pieces of work of Rye Mill are blocked'],
  ['anything failed?', '= 1 piece of work has failed'],
  ['what went wrong', '= 1 piece of work has failed'],
  ['failed newsletters', '= No piece of work of type email newsletter'],
  ['what got done', '= 1 piece of work is done'],
  [
    'status',
    '= 2 tenants: 5 approvals waiting, 1 of high risk; 1 at work, 2 blocked; 1 agent in error; $3.75 spent',
  ],
  ['how are things?', '= 2 tenants: 5 approvals waiting'],
  ['give me an overview', '= 2 tenants: 5 approvals waiting'],
  ['status of Rye Mill', '= Rye Mill: 2 approvals waiting; 0 at work, 2 blocked; $0.50'],
  ['how is Hearth doing?', '= Hearth & Oat: 3 approvals waiting, 1 of high risk'],
  ['hearth', '= Hearth & Oat: 3 approvals waiting'],
  ['what needs me first?', '= First "Opening hours on the profile" of Hearth & Oat'],
  ['what should I do next', '= First "Opening hours on the profile"'],
  ['any news?', '= First "Opening hours on the profile" of Hearth & Oat'],
  ["what's new at rye mill", '= First "'],
  // Money.
  ['what did this month cost', '= Everything cost $3.75 this month. Most of it went to Hearth & Oat ($3.25)'],
  ['how much did we spend this month?', '= Everything cost $3.75 this month'],
  ['costs today', '= Everything cost $1.25 today'],
  ['spending last month', '= Everything cost $4.00 last month'],
  ['what have we spent this week', '= Everything cost $1.75 this week'],
  ['cost since 2026-04-05', '= Everything cost $1.75 since 2026-04-05'],
  ['how much did we spend since tuesday', '= Everything cost $1.75 since 2026-04-07'],
  ['cost since march', '= Everything cost $7.75 since 2026-03-01'],
  ['what did march cost', '= Everything cost'],
  ['what did we spend in march', '= Everything cost $4.00 in march'],
  ['cost in the last 30 days', '= Everything cost $7.75 in the last 30 days'],
  ['cost from 2026-03-01 to 2026-03-31', '= Everything cost $4.00 from 2026-03-01 to 2026-03-31'],
  [
    'what did Hearth cost this month',
    '= Everything of Hearth & Oat cost $3.25 this month. Most of it went to Social writer ($2.00)',
  ],
  [
    'which agent was the most expensive',
    '= Everything cost $3.75 this month. Most of it went to Social writer ($2.50)',
  ],
  ['cost by model', '= Everything cost $3.75'],
  ['cost per campaign for rye mill', '= Everything of Rye Mill cost $0.50'],
  ['what did the blog writer cost', '= The blog writer cost $1.25'],
  // One thing.
  ['show me {spring}', '= "Spring menu post" of Hearth & Oat waits for a verdict, low risk.'],
  ['how long has the rye flour guide been waiting', '= "Rye flour guide" of Rye Mill waits'],
  ['when does the spring menu post expire', '= "Spring menu post" of Hearth & Oat waits'],
  ['{guide}', '= "Rye flour guide" of Rye Mill waits'],
  ['show me "Rye flour guide"', '= "Rye flour guide" of Rye Mill waits'],
  ['show me the spring menu post', '= "Spring menu post" of Hearth & Oat waits'],
  ['show the spring menue', '= "Spring menu post" of Hearth & Oat waits'],
  ['find bread prices', '= "Bread prices report" of Rye Mill is blocked.'],
  ['what is "Easter teaser"', '= "Easter teaser" of Hearth & Oat is in progress'],
  ['easter teaser', '= "Easter teaser" of Hearth & Oat is in progress'],
  [
    'what happened to the summer newsletter?',
    '= "Summer newsletter" of Hearth & Oat is failed: The model refuses. Last: The model refuses (Email writer',
  ],
  ['why did "Summer newsletter" fail', '= "Summer newsletter" of Hearth & Oat is failed'],
  ['log of {letter}', '= "Summer newsletter" of Hearth & Oat is failed'],
  ['show me pumpkin soup', '? Nothing is called "pumpkin soup"'],
  ['show me "Cinnamon secrets"', '? Nothing is called "Cinnamon secrets"'],
  ['show me {theirs}', '? Nothing with the id theirs is known here'],
  // Agents, queues, tenants, help.
  ['which agents are paused?', '= 1 agent is paused'],
  ['agents in error', '= 1 agent is in error'],
  ['are any agents broken', '= 1 agent is in error'],
  ['list the agents of rye mill', '= There are 12 agents of Rye Mill'],
  ['is the auditor of rye mill paused', '= 1 auditor of Rye Mill is paused'],
  ['how is the queue of the social writer', '= 0 runs waiting'],
  ['queues', '= 0 runs waiting, 0 at work'],
  ['which tenants do I have', '= You work for 2 tenants'],
  ['list my clients', '= You work for 2 tenants'],
  ['help', '= Ask in plain words'],
  ['what can you do?', '= Ask in plain words'],
  ['how do I approve something', '= Ask in plain words'],
  // Questions about acts are no acts.
  ['who approved the spring menu post', '= "Spring menu post" of Hearth & Oat'],
  ['should I approve "Spring menu post"?', '= "Spring menu post" of Hearth & Oat waits'],
  ['what is there to approve for Rye Mill', '= 2 approvals of Rye Mill wait'],
  // What is not there or not clear.
  ['what waits for Zanzibar Spice', '? There is nothing called "zanzibar spice"'],
  ['status of Zanzibar Spice', '? There is nothing called "zanzibar spice"'],
  ['what did Zanzibar cost', '? There is no cost of "zanzibar" to tell'],
  ['what is pending apart from hearth', '? Exceptions and conditions are not understood'],
  ['cost of Zanzibar', '? There is nothing called "zanzibar"'],
  ['sdkfjh qwepoi', '? That was not understood'],
  ['...', '? That was not understood'],
]

describe('cli.nl understands questions', () => {
  it.each(facts)('%s', async (query, wanted) => {
    expect(await harness.line(query)).toContain(wanted)
  })
})
