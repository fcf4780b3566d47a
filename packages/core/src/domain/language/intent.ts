import type { Accounts, SlotName } from '@copydesk/language'
import type { Interpretation } from './interpretation.ts'
import type { LanguageRequest, QueryContext } from './query-context.ts'

/** One thing that can be asked. */
export interface Intent {
  /** Whether a request may ask for it: the words that are its own are there. */
  isMeant(request: LanguageRequest): boolean
  /** What it takes into account. A request is answered only where nothing else is in it. */
  accounts: Accounts
  /** What the words that are left over may name; without it none may be left. */
  names?: 'piece' | 'person'
  answer(scene: QueryContext, request: LanguageRequest): Interpretation | Promise<Interpretation>
  /** What is said where words are left over, instead of the general question. */
  lacks?(words: readonly string[]): Interpretation
}

/** Slots that most answers take into account. */
export const ofTenant = ['tenant', 'quantity'] as const satisfies readonly SlotName[]
export const ofPiece = [
  'tenant',
  'role',
  'id',
  'quote',
  'reference',
  'place',
  'noun',
  'deliverableType',
] as const
export const ofList = [
  'tenant',
  'role',
  'noun',
  'quantity',
  'count',
  'limit',
  'deliverableType',
  'age',
] as const
export const ofPending = [...ofList, 'pending', 'approvalType', 'risk', 'expiry', 'overdue'] as const

/** True for a request of which one of several forms matches the words. */
export const says =
  (...forms: RegExp[]) =>
  ({ said }: LanguageRequest) =>
    forms.some((form) => form.test(said.text))

/** Whether a request names something by its id or its title. */
export const names = ({ said }: LanguageRequest) => said.ids.length > 0 || said.quotes.length > 0

/** Whether a request says what it is about, other than by words that are left over. */
export function hasTarget(request: LanguageRequest): boolean {
  const { reference, order } = request.slots
  return names(request) || reference !== undefined || order !== undefined
}
