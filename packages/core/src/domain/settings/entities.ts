import { defineEntity, p } from '@mikro-orm/core'

/** Facts about this installation, such as the proof that its encryption key is the right one. */
export const Setting = defineEntity({
  name: 'Setting',
  tableName: 'settings',
  properties: {
    name: p.string().primary(),
    value: p.text(),
  },
})
