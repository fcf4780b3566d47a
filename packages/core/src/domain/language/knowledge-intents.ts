import { knowledgeForm, knowledgeSearchForms } from '@copydesk/language'
import { type Intent, ofTenant, says } from './intent.ts'
import { findKnowledge, readKnowledge } from './read-knowledge.ts'

/** What is asked about the knowledge base: what it says, and what is in it. */
export const knowledgeIntents: readonly Intent[] = [
  {
    isMeant: says(...knowledgeSearchForms),
    accounts: { slots: ['tenant'], forms: knowledgeSearchForms, shows: true },
    answer: findKnowledge,
  },
  {
    isMeant: says(knowledgeForm),
    accounts: {
      slots: [...ofTenant, 'count'],
      forms: [knowledgeForm, /\b(?:what|how|is|are|in|files?|documents?|chunks?|contents?|status|state)\b/],
      shows: true,
    },
    answer: readKnowledge,
  },
]
