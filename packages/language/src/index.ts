export { actAccounts, agentAccounts, freeVerbs, takesNote } from './act-accounts.ts'
export type { SlotName } from './claims.ts'
export { type Accounts, excludes, leftOver, withTitle } from './coverage.ts'
export { exclusionWords } from './function-words.ts'
export { countIn, lengthOfTime, minutesIn, numberWord } from './lengths.ts'
export { bare } from './notes.ts'
export type { ParsedQuery, Vocabulary } from './parsed-query.ts'
export { createParser, type Parser } from './parser.ts'
export { capital, counted, dollars, duration, minuteOf, plain, quoted, spaced } from './plain.ts'
export {
  agentWorkForm,
  askingForm,
  costForm,
  decidingForm,
  expiringForm,
  feedForm,
  helpForm,
  knowledgeForm,
  knowledgeSearchForms,
  logForm,
  newsForm,
  queuesForm,
  statusForm,
  tenantsForm,
  urgentForm,
  verdictOfForm,
  waitersForm,
  waitingForm,
} from './question-forms.ts'
export { type ReadRequest, requestOf } from './requests.ts'
export type { AskedStatus, AskedVerdict } from './slot-forms.ts'
export { conditions, exceptions, makers, type Verb } from './vocabulary.ts'
