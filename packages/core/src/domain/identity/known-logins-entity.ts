import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn } from '../../platform/database/columns.ts'

/** A network from which a person has proved who that is: what strangers try elsewhere does not count there. */
export const KnownLogin = defineEntity({
  name: 'KnownLogin',
  tableName: 'known_logins',
  properties: {
    userId: idColumn(),
    /** HMAC of the IPv4 address or the /64 of the IPv6 address, with the id of its key. */
    network: p.string().primary(),
    /** The last time. */
    usedOn: instantColumn(),
  },
  indexes: [{ name: 'known_logins_by_age', properties: ['usedOn'] }],
})
