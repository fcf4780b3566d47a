import { helpForm } from '@copydesk/language'
import { type Intent, says } from './intent.ts'
import { factAnswer, type Interpretation } from './interpretation.ts'
import { knowledgeIntents } from './knowledge-intents.ts'
import { listIntents } from './list-intents.ts'
import { anything, pieceIntents, pieceState } from './piece-intents.ts'
import { readStatus } from './read-work.ts'

/** Everything that can be asked; the first that takes every word into account answers. */
export const intents: readonly Intent[] = [
  { isMeant: says(helpForm), accounts: { slots: [], forms: [helpForm] }, answer: helpAnswer },
  ...pieceIntents,
  ...knowledgeIntents,
  ...listIntents,
  pieceState,
  anything,
  {
    isMeant: ({ said }) => said.tenants.length > 0,
    accounts: { slots: ['tenant'], forms: [/\b(?:how|what about|how about)\b/, /#compare/], shows: true },
    answer: readStatus,
  },
]

/** What can be asked and said, by examples. */
function helpAnswer(): Interpretation {
  const rows = [
    [
      'What waits',
      'what waits for me; anything urgent; what is late; high risk of Hearth; older than 2 hours; the oldest one; who waits',
    ],
    [
      'What was decided',
      'how many did we approve this week; what did I reject yesterday; who approved "Spring post"; how long has it been waiting',
    ],
    ['What happened', 'what happened yesterday; what did the blog writer do today; what failed this week'],
    [
      'How work stands',
      'status; what is running; what is blocked; what failed; what happened to "Spring post"',
    ],
    ['Agents', 'which agents are paused; queues; pause the social writer of Hearth; resume it'],
    ['Money', 'what did this month cost by agent; what did Hearth spend since monday'],
    [
      'Knowledge',
      'search the knowledge base of Hearth for delivery times; what is in the knowledge base; what does the knowledge base of Hearth say about rye',
    ],
    [
      'Verdicts',
      'approve "Spring post"; approve all low risk of Hearth; reject it because the tone is off; send it back: shorter',
    ],
    [
      'Work',
      'pause it; resume it; retry the failed one; cancel it because it is not wanted; run social writer for Hearth: write about rye',
    ],
    [
      'Order',
      'escalate it because it goes out today; claim the first one; snooze it until tomorrow; dismiss it',
    ],
  ]
  return factAnswer(
    'Ask in plain words. Whatever changes something is shown as a command first, and done when you confirm it.',
    { titles: ['About', 'For example'], rows },
  )
}
