import type { PersonRole } from './add-user.ts'
import type { InvitedRole, MailboxProof, UserStatus } from './entities.ts'

/*
 * Whose account it is.
 *
 * An e-mail address names a person to everybody who assigns, invites or promotes; it is worth nothing as a name while no one has
 * shown that the mailbox is the account holder's. Three things can stand behind an account:
 *
 * - `mail`: a link that was mailed to the address was used: an invitation, a new password, or the confirmation of the mailbox by
 *   the holder, who is logged in.
 * - `operator`: an operator made the account and vouches for it, for the tenants that operators give to it.
 * - `none`: it was opened with the link that an inviter was handed, or by a visitor's registration.
 *
 * An account of `none` reaches the tenant that it was opened for. What it is given beyond that (a tenant, a higher role) is kept as
 * a pending grant and counts from the proof on. Anyone who proves the mailbox without knowing the password takes the account over:
 * another password, and no session or API key of before. An invitation is accepted for an account that exists with the mailed link
 * only, and the inviter is answered the same whether there is one or not.
 */

/** True when what an account is given counts at once. */
export function countsAtOnce({ mailboxProof }: { mailboxProof: MailboxProof }): boolean {
  return mailboxProof !== 'none'
}

/** True when a role lets someone do more than the present one. */
export function isPromotion(from: PersonRole, to: PersonRole): boolean {
  return from !== to && (to === 'admin' || to === 'super_admin')
}

/** Which of its two links an invitation is shown by: the mailed one proves the mailbox, the one for the inviter does not. */
export type InvitationLink = 'mailed' | 'handed'

/** What accepting an invitation does, or why it cannot be accepted. */
export type Admission =
  /** There is no account: one is made. */
  | 'create'
  /** The account was taken off this team and comes back to it. */
  | 'return'
  /** A reviewer of others works for this tenant too. */
  | 'join'
  /** A reviewer's account that no one has proved: the owner of the mailbox takes it over. */
  | 'take_over'
  /** An account of another kind that no one has proved: it loses the address, and one is made. */
  | 'replace'
  /** Refused: the account is of this team already. */
  | 'member'
  /** Refused: there is an account, which the link for the inviter must not reach. */
  | 'mail_only'
  /** Refused: an account belongs to one company, or to staff. */
  | 'elsewhere'
  /** Refused: an operator has suspended the account. */
  | 'suspended'

export interface Invited {
  tenantId: string
  role: InvitedRole
}

interface KnownAccount {
  tenantId: string | null
  role: PersonRole
  status: UserStatus
  mailboxProof: MailboxProof
}

/** What an invitation does for the account of its e-mail, by the link that it is accepted with. */
export function admissionOf(
  account: KnownAccount | undefined,
  invited: Invited,
  link: InvitationLink,
): Admission {
  if (!account) return 'create'
  if (account.tenantId === invited.tenantId) return comesBack(account, invited) ? 'return' : 'member'
  if (link === 'handed') return 'mail_only'
  if (account.status === 'suspended') return 'suspended'
  const proved = countsAtOnce(account)
  if (account.role === 'reviewer' && invited.role === 'reviewer' && account.status === 'active')
    return proved ? 'join' : 'take_over'
  return proved || account.role === 'super_admin' ? 'elsewhere' : 'replace'
}

/**
 * True when an invitation brings someone back who was taken off the same team. The account is the tenant's own; that of
 * someone who was taken off another team stays with that tenant. Reviewers belong to no tenant.
 */
export function comesBack(
  account: { tenantId: string | null; status: UserStatus },
  { tenantId, role }: Invited,
): boolean {
  return account.status === 'deactivated' && account.tenantId === tenantId && role !== 'reviewer'
}
