import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { App, Role, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { type MailboxProof, User } from './entities.ts'

export type PersonRole = Exclude<Role, 'agent'>

/** The apps that a new person of each role may log in to. */
export const appsByRole: Record<PersonRole, App[]> = {
  admin: ['dashboard'],
  member: ['dashboard'],
  reviewer: ['dm-portal'],
  super_admin: ['manage', 'dm-portal'],
}

export interface NewPerson {
  /** Default: a new one. */
  id?: string
  /** In lower case. */
  email: string
  name: string
  /** Hashing takes milliseconds on purpose: do it before the command. */
  passwordHash: string
  role: PersonRole
  /** Null for staff. */
  tenantId: string | null
  /** Who says that the mailbox is this person's. */
  mailboxProof: MailboxProof
  phone?: string | null
  country?: string | null
}

/**
 * Adds a person who can log in at once, and writes the row, so that of two with one e-mail only one gets through.
 * @throws DomainError `CONFLICT` on `email` when it is taken
 */
export async function addUser(txn: Transaction, person: NewPerson) {
  const { email, phone = null, country = null } = person
  if (await txn.em.findOne(User, { email }, { fields: ['id'] })) throw taken(email)
  const now = txn.clock.date()
  const user = txn.em.create(User, {
    ...person,
    id: person.id ?? txn.newId(),
    phone,
    country,
    appAccess: appsByRole[person.role],
    status: 'active',
    about: null,
    whatsapp: null,
    image: null,
    lastLoginAt: null,
    proofAskedOn: null,
    createdOn: now,
    updatedOn: now,
  })
  try {
    await txn.em.flush()
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) throw taken(email)
    throw error
  }
  return user
}

/** The one refusal of an e-mail that has an account. */
export function taken(email: string): DomainError {
  return new DomainError('CONFLICT', `There is a user with the e-mail ${email} already`, { field: 'email' })
}
