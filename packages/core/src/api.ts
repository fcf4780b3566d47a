import type { Rule } from './api-rules.ts'
import { services } from './api-services.ts'
import type { Ctx } from './domain/context.ts'
import { DomainError } from './domain/errors.ts'

type Bound<S> = {
  [G in keyof S]: { [F in keyof S[G]]: S[G][F] extends Rule<infer A, infer R> ? (...args: A) => R : never }
}

/** The services bound to one context: each is the function behind the endpoint. */
export type Api = Bound<typeof services>

/**
 * Binds the services to a context.
 * @param mode `checked` refuses what the actor's role may not do with `FORBIDDEN`; `system` asks nobody
 */
export function bindApi(ctx: Ctx, mode: 'checked' | 'system'): Api {
  const groups = Object.entries(services).map(([group, functions]) => {
    const bound = Object.entries(functions as Record<string, Rule<never[], unknown>>).map(
      ([name, { roles, run }]) => {
        const call = (...args: never[]) => {
          if (mode === 'checked' && !roles.includes(ctx.actor.role))
            throw new DomainError('FORBIDDEN', `${group}.${name} is not for the role ${ctx.actor.role}`)
          return run(
            {
              ...ctx,
              trace: {
                ...ctx.trace,
                requestId: ctx.newId(),
                startedAt: ctx.clock.now(),
                action: `${group}.${name}`,
              },
            },
            ...args,
          )
        }
        return [name, call]
      },
    )
    return [group, Object.fromEntries(bound)]
  })
  return Object.fromEntries(groups) as Api
}
