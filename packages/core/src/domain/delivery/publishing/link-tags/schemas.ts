import { z } from 'zod'

const host = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
    'Must be the name of a host, such as shop.example',
  )
  .transform((name) => name.replace(/^www\./, ''))

export const LinkTagsSetting = z.object({
  /** The tenant's own websites, with all hosts below them; none: links stay as they are written. */
  hosts: z.array(host).max(20),
})
export type LinkTagsSetting = z.output<typeof LinkTagsSetting>

export const LinkTagsView = z.object({ hosts: z.array(z.string()) })
export type LinkTagsView = z.output<typeof LinkTagsView>
