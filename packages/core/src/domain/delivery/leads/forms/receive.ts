import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, rateLimited } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { isSuspended } from '../../../accounts/tenants/entities.ts'
import { lockTenant } from '../../../accounts/tenants/status.ts'
import { notify } from '../../../people/notifications/notify.ts'
import { addEntry, addLead } from '../create.ts'
import { duplicateOf } from '../duplicate-queries.ts'
import { Lead } from '../entities.ts'
import { lockForm } from './forms.ts'
import { findForm, type OpenForm } from './queries.ts'
import { isByProgram, readInputs, type SentForm, type Submission, toSubmission } from './submission.ts'

/** Submissions of one form in an hour: those that are kept, and those that are dropped. */
const keptPerHour = { limit: 100, burst: 0, windowMs: 3_600_000 }
const droppedPerHour = { limit: 300, burst: 0, windowMs: 3_600_000 }

interface FormRequest extends SentForm {
  /** The headers of those names. */
  origin: string | undefined
  referer: string | undefined
}

/**
 * Takes what someone has filled in on a web site: it becomes a lead, or an entry in the timeline of the lead that is there already. The answer
 * is the same for both, and for what is dropped because a program has filled it in. Serves `POST /forms/v1/:formId`.
 * @returns where to go from here; undefined for the thank-you page
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a page of another site; `VALIDATION_ERROR` on an input; `UNPROCESSABLE` while the form
 *   takes nothing; `RATE_LIMITED`; `UNSUPPORTED_MEDIA_TYPE`
 */
export async function receiveForm(
  ctx: Ctx,
  id: string,
  request: FormRequest,
): Promise<{ redirectUrl: string | undefined }> {
  const form = await findForm(ctx, id)
  if (request.origin !== undefined && !form.allowedOrigins.includes(request.origin))
    throw new DomainError(
      'FORBIDDEN',
      `This form takes nothing from pages of ${request.origin.slice(0, 300)}`,
    )
  const inputs = await readInputs(request)
  const own: Ctx = { ...ctx, scope: [form.tenantId] }
  const now = ctx.clock.date()
  if (isByProgram(form, inputs, now.getTime())) {
    await admit(own, `lead-form-dropped:${id}`, droppedPerHour)
    await transact(own, (txn) => drop(txn, id))
    return { redirectUrl: form.redirectUrls[0] }
  }
  const submission = toSubmission(form, inputs, { page: request.referer, now })
  await admit(own, `lead-form:${id}`, keptPerHour)
  await transact(own, (txn) => keep(txn, form, submission))
  return { redirectUrl: submission.redirectUrl }
}

/** One form can fill neither the tenant nor the audit log. @throws DomainError `RATE_LIMITED` */
async function admit({ services, clock }: Ctx, key: string, rule: typeof keptPerHour): Promise<void> {
  const count = await services.counters.hit(key, rule)
  if (count.admitted) return
  const wait = { until: count.resetAt, now: clock.now() }
  throw rateLimited(wait, (when) => `This form was sent too often; try again ${when}`)
}

async function drop(txn: Transaction, id: string): Promise<void> {
  const form = await lockForm(txn, id)
  form.dropped += 1
  txn.audit({
    tenantId: form.tenantId,
    resourceType: 'lead_form',
    resourceId: id,
    action: 'lead_form.drop',
  })
}

async function keep(
  txn: Transaction,
  { id, tenantId }: OpenForm,
  { lead, text, consent }: Submission,
): Promise<void> {
  const tenant = await lockTenant(txn, tenantId)
  const form = await lockForm(txn, id)
  if (!form.active || isSuspended(tenant.status) || tenant.awaitsPayment)
    throw new DomainError('UNPROCESSABLE', 'This form takes no messages at the moment')
  form.received += 1
  form.lastReceivedOn = txn.clock.date()
  const actor = { id: null, name: form.name }
  const contact = { email: lead.email ?? null, phone: lead.phone ?? null }
  const known = await duplicateOf(txn, tenantId, contact)
  const leadId = known
    ? await addToTimeline(txn, known.id, text || 'Sent the form again', actor)
    : await addLead(txn, {
        ...lead,
        source: 'form',
        sourceRef: form.name,
        actor,
        ...(text !== '' && { notes: text }),
      })
  if (consent) addEntry(txn, { id: leadId, tenantId }, consent.kind, consent.text, actor)
  if (!form.notify) return
  const who = `${lead.firstName} ${lead.lastName}`.trim() || lead.email || lead.phone
  await notify(txn, {
    tenantId,
    to: 'admins',
    type: 'campaign_update',
    title: known ? `A lead has written again: ${who}` : `New lead: ${who}`,
    body: `By the form ${form.name}.`,
    subjectKind: 'leads',
    subjectId: leadId,
  })
}

/** What is known of a lead stays: anyone can write under anyone's address. */
async function addToTimeline(
  txn: Transaction,
  leadId: string,
  text: string,
  actor: { id: null; name: string },
): Promise<string> {
  const lead = await txn.em.findOneOrFail(
    Lead,
    { id: leadId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  // An import that is undone leaves it.
  Object.assign(lead, {
    revision: lead.revision + 1,
    updatedOn: txn.clock.date(),
  })
  addEntry(txn, lead, 'comment', text, actor)
  txn.audit({
    tenantId: lead.tenantId,
    resourceType: 'lead',
    resourceId: leadId,
    after: { form: actor.name },
  })
  return leadId
}

/** Origins of the pages that may send a form and read the answer. @throws DomainError `NOT_FOUND` */
export async function originsOf(ctx: Ctx, id: string): Promise<readonly string[]> {
  return (await findForm(ctx, id)).allowedOrigins
}
