import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../../kernel/errors.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import { transact } from '../../../../kernel/transact.ts'
import { lockTenant } from '../../../accounts/tenants/status.ts'
import { LeadForm, type LeadFormRow } from './entities.ts'
import { getForm } from './queries.ts'
import type { FormChange, FormItem, NewForm } from './schemas.ts'

/** More than this many a tenant cannot have. */
const mostForms = 50

/**
 * Adds a form. Serves `POST /dashboard/v1/lead-forms`.
 * @throws DomainError `VALIDATION_ERROR` for inputs that contradict each other; `UNPROCESSABLE` when there are too many forms
 */
export function createForm(ctx: Ctx, input: NewForm): Promise<FormItem> {
  return transact(ctx, async (txn) => {
    const tenantId = oneTenant(txn)
    requireConsistent(input)
    await lockTenant(txn, tenantId)
    if ((await txn.em.count(LeadForm, { tenantId })) >= mostForms)
      throw new DomainError('UNPROCESSABLE', `There are ${mostForms} forms already; delete one`)
    const now = txn.clock.date()
    const form = txn.em.create(LeadForm, {
      id: txn.newId(),
      tenantId,
      ...cleared(input),
      received: 0,
      dropped: 0,
      lastReceivedOn: null,
      createdOn: now,
      updatedOn: now,
    })
    record(txn, form, { after: view(form) })
    return read(txn, form.id)
  })
}

/**
 * Changes a form; what is not named stays as it is. Serves `PATCH /dashboard/v1/lead-forms/:formId`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` for inputs that contradict each other
 */
export function changeForm(ctx: Ctx, id: string, change: FormChange): Promise<FormItem> {
  return transact(ctx, async (txn) => {
    const form = await lockForm(txn, id)
    const before = view(form)
    Object.assign(form, cleared(change), { updatedOn: txn.clock.date() })
    requireConsistent(form)
    record(txn, form, { before, after: view(form) })
    return read(txn, id)
  })
}

/** Deletes a form; its leads stay. Serves `DELETE /dashboard/v1/lead-forms/:formId`. @throws DomainError `NOT_FOUND` */
export function deleteForm(ctx: Ctx, id: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const form = await lockForm(txn, id)
    record(txn, form, { before: view(form) })
    txn.em.remove(form)
  })
}

/** @throws DomainError `NOT_FOUND` */
export async function lockForm(txn: Transaction, id: string): Promise<LeadFormRow> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const form = await txn.em.findOne(LeadForm, { id }, lock)
  if (!form) throw notFound('form')
  return form
}

/** A text without characters is none, and what is named twice counts once. */
function cleared<F extends FormChange>(form: F): F {
  return {
    ...form,
    ...(form.thankYou === '' && { thankYou: null }),
    ...(form.consentText === '' && { consentText: null }),
    ...(form.allowedOrigins && {
      allowedOrigins: [...new Set(form.allowedOrigins)],
    }),
    ...(form.redirectUrls && { redirectUrls: [...new Set(form.redirectUrls)] }),
  }
}

const tellsWho: ReadonlySet<string> = new Set(['firstName', 'lastName', 'name', 'email', 'phone'])

/** @throws DomainError `VALIDATION_ERROR` */
function requireConsistent(form: Pick<LeadFormRow, 'fields' | 'honeypot' | 'consentText'>): void {
  const { fields, honeypot, consentText } = form
  for (const [n, { input, fills }] of fields.entries()) {
    const earlier = fields.slice(0, n)
    if (earlier.some((other) => other.input === input))
      throw invalid(`fields.${n}.input`, `There are two inputs called ${input}`)
    if (fills !== 'other' && earlier.some((other) => other.fills === fills))
      throw invalid(`fields.${n}.fills`, `Two inputs fill ${fills}`)
    if (input === honeypot)
      throw invalid('honeypot', 'People must not see this input, so it is none of the fields')
  }
  if (!fields.some(({ fills }) => tellsWho.has(fills)))
    throw invalid('fields', 'An input must fill a name, the e-mail address or the phone number')
  if (consentText !== null && !fields.some(({ fills }) => fills === 'consent'))
    throw invalid('consentText', 'No input fills `consent`')
}

async function read(txn: Transaction, id: string): Promise<FormItem> {
  await txn.em.flush()
  return getForm(txn, id)
}

function view(form: LeadFormRow) {
  const { name, allowedOrigins, redirectUrls, thankYou, consentText, fields, honeypot, notify, active } = form
  return {
    name,
    allowedOrigins,
    redirectUrls,
    thankYou,
    consentText,
    fields,
    honeypot,
    notify,
    active,
  }
}

function record(
  txn: Transaction,
  { id, tenantId }: LeadFormRow,
  what: { before?: unknown; after?: unknown },
): void {
  txn.audit({ tenantId, resourceType: 'lead_form', resourceId: id, ...what })
}
