import { access } from '../../gateway/access.ts'

const credentials = ['apikey', 'jwt'] as const

/** Staff at a shell prompt or in a script, who review for many tenants or operate the platform. */
export const staff = access({ roles: ['reviewer', 'super_admin'], credentials })

/** The same with a login only: what a program with a key must not do. */
export const people = access({ roles: ['reviewer', 'super_admin'] })

/** Of them, the operators of the platform. */
export const superAdmins = access({ roles: ['super_admin'], credentials })

/** Those of them who see to plans and payments. */
export const operators = access({ roles: ['super_admin'], app: 'manage', credentials })
