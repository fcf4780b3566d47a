export type FormValue = string | number | boolean | readonly FormValue[] | FormFields
export interface FormFields {
  readonly [name: string]: FormValue
}

/** Fields as a form whose nested names stand in brackets, such as `items[0][price]=p`. */
export function formOf(fields: FormFields): string {
  const form = new URLSearchParams()
  const add = (name: string, value: FormValue): void => {
    if (typeof value !== 'object') return form.append(name, String(value))
    for (const [key, inner] of Object.entries(value)) add(name === '' ? key : `${name}[${key}]`, inner)
  }
  add('', fields)
  return form.toString()
}
