import { tellHelp } from './help.ts'
import { type Intent, says } from './intent.ts'
import { helpForm } from './intent-forms.ts'
import { listIntents } from './list-intents.ts'
import { anything, pieceIntents, pieceState } from './piece-intents.ts'
import { readStatus } from './read-work.ts'

/** Everything that can be asked; the first that takes every word into account answers. */
export const intents: readonly Intent[] = [
  { isMeant: says(helpForm), accounts: { slots: [], forms: [helpForm] }, answer: tellHelp },
  ...pieceIntents,
  ...listIntents,
  pieceState,
  anything,
  {
    isMeant: ({ said }) => said.tenants.length > 0,
    accounts: { slots: ['tenant'], forms: [/\b(?:how|what about|how about)\b/, /#compare/], shows: true },
    answer: readStatus,
  },
]
