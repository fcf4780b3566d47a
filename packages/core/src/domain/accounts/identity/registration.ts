import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { isGstin, isTaxNumber } from '../tenants/profiles.ts'
import { User } from './entities.ts'
import { hashNewPassword } from './new-password.ts'
import { Registration, type RegistrationRow } from './registration-entity.ts'
import type {
  RegisterCompany,
  RegisterPlace,
  RegisterProgress,
  RegisterStart,
} from './registration-schemas.ts'

/**
 * Opens a registration. The password is hashed at once and kept in no other form. Serves `POST /auth/v1/register/start`.
 * @throws DomainError `CONFLICT` when the e-mail has an account; `FORBIDDEN` where registration is closed; `VALIDATION_ERROR` for a password that is easily guessed
 */
export async function startRegistration(
  ctx: Ctx,
  { password, ...answers }: RegisterStart,
): Promise<{ sessionToken: string; step: 1 }> {
  requireOpenRegistration(ctx)
  // Asked before the password is hashed, which costs more than the question.
  await transact(ctx, (txn) => requireFreeEmail(txn, answers.email))
  const passwordHash = await hashNewPassword(ctx, {
    password,
    email: answers.email,
    lane: 'registration',
  })
  return transact(ctx, async (txn) => {
    await requireFreeEmail(txn, answers.email)
    const now = txn.clock.date()
    const { id } = txn.em.create(Registration, {
      id: txn.newId(),
      passwordHash,
      answers,
      step: 1,
      checkoutId: null,
      checkoutFor: null,
      checkoutUntil: null,
      createdOn: now,
      updatedOn: now,
    })
    return { sessionToken: await txn.services.tokens.sign('registration', { sub: id }), step: 1 }
  })
}

/** @throws DomainError `FORBIDDEN` where the operator has not opened registration, also for what began before it was closed */
export function requireOpenRegistration(ctx: Ctx): void {
  if (ctx.services.settings.registration === 'open') return
  throw new DomainError(
    'FORBIDDEN',
    'Registration is closed on this server: ask an admin of your company for an invitation, or the operator of the server for an account',
  )
}

/** Keeps what the company is. Serves `POST /auth/v1/register/step/2`. @throws DomainError `CONFLICT`, `UNAUTHORIZED` */
export async function saveCompany(ctx: Ctx, company: RegisterCompany): Promise<{ step: 2 }> {
  requireOpenRegistration(ctx)
  await takeStep(ctx, 2, (registration) => {
    registration.answers = { ...registration.answers, ...company }
  })
  return { step: 2 }
}

/**
 * Keeps where the company is. Serves `POST /auth/v1/register/step/3`.
 * @throws DomainError `CONFLICT`, `UNAUTHORIZED`; `VALIDATION_ERROR` on what does not fit the country
 */
export async function savePlace(
  ctx: Ctx,
  { state, timezone, gstNumber }: RegisterPlace,
): Promise<{ step: 3 }> {
  requireOpenRegistration(ctx)
  await takeStep(ctx, 3, (registration) => {
    const { country } = registration.answers
    const [before, code] = state.includes('-') ? state.split('-') : [country, state]
    if (before !== country) throw invalid('state', `${state} is not in the country ${country}`)
    const fits = country === 'IN' ? isGstin : isTaxNumber
    if (gstNumber !== undefined && !fits(gstNumber))
      throw invalid('gstNumber', `${gstNumber} is no tax number of the country ${country}`)
    registration.answers = { ...registration.answers, state: code as string, timezone, gstNumber }
  })
  return { step: 3 }
}

/** How far a registration has come. Serves `GET /auth/v1/register/session`. @throws DomainError `UNAUTHORIZED`, `FORBIDDEN` */
export async function registrationProgress(ctx: Ctx): Promise<RegisterProgress> {
  requireOpenRegistration(ctx)
  return transact(ctx, async (txn) => {
    const registration = await txn.em.findOne(Registration, { id: txn.actor.id })
    if (!registration) throw over()
    const { step, answers } = registration
    return {
      currentStep: currentStep(step),
      completedSteps: Array.from({ length: step }, (_, index) => index + 1),
      prefilled: answers,
    }
  })
}

/**
 * A registration, locked until the commit, when it is ready for a step.
 * @throws DomainError `CONFLICT` with `details.currentStep` when an earlier step is missing or it is complete;
 *   `UNAUTHORIZED` when it is gone
 */
export async function lockRegistration(
  txn: Transaction,
  id: string,
  step: 2 | 3 | 4,
): Promise<RegistrationRow> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const registration = await txn.em.findOne(Registration, { id }, { lockMode })
  if (!registration) throw over()
  const done = registration.step
  if (done >= step - 1 && done < 4) return registration
  const message = done === 4 ? 'This registration is complete' : `Step ${currentStep(done)} comes first`
  throw new DomainError('CONFLICT', message, { details: { currentStep: currentStep(done) } })
}

/** @throws DomainError `CONFLICT` on `email` when someone has an account with it */
export async function requireFreeEmail(txn: Transaction, email: string): Promise<void> {
  if (await txn.em.findOne(User, { email }, { fields: ['id'] }))
    throw new DomainError('CONFLICT', `The e-mail ${email} is registered already`, { field: 'email' })
}

/** A step may be taken again until the registration is complete; what comes after it stays done. */
function takeStep(ctx: Ctx, step: 2 | 3, answer: (registration: RegistrationRow) => void): Promise<void> {
  return transact(ctx, async (txn) => {
    const registration = await lockRegistration(txn, txn.actor.id, step)
    answer(registration)
    registration.step = Math.max(registration.step, step)
    registration.updatedOn = txn.clock.date()
  })
}

function currentStep(done: number): 1 | 2 | 3 | 4 {
  return Math.min(done + 1, 4) as 1 | 2 | 3 | 4
}

function over(): DomainError {
  return new DomainError('UNAUTHORIZED', 'This registration is over; start again')
}
