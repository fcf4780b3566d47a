import type { Ctx, Role } from './domain/context.ts'

export const team: readonly Role[] = ['admin', 'member', 'reviewer', 'super_admin']
export const deciders: readonly Role[] = ['admin', 'reviewer', 'super_admin']
export const reviewers: readonly Role[] = ['reviewer', 'super_admin']
export const members: readonly Role[] = ['admin', 'member', 'super_admin']
export const admins: readonly Role[] = ['admin', 'super_admin']
export const operators: readonly Role[] = ['super_admin']

/** A service, and the roles that may call it. */
export interface Rule<A extends unknown[], R> {
  roles: readonly Role[]
  run(ctx: Ctx, ...args: A): R
}

/** A service that the named roles may call. */
export function rule<A extends unknown[], R>(
  roles: readonly Role[],
  run: (ctx: Ctx, ...args: A) => R,
): Rule<A, R> {
  return { roles, run }
}
