/** One text with a line for each password: a tenth of the memory of a set of them. */
let list: Promise<string> | undefined

/** Nothing shorter is taken as a password anywhere, so nothing shorter has to be on the list. */
const shortest = 8

/**
 * True for a password that guessers try first, whatever its case and the punctuation at its end. The list of some 18,000 is loaded
 * when it is asked for the first time: 25 ms, and 4 MB that stay.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  list ??= load()
  const known = await list
  const lower = password.normalize('NFKC').toLowerCase()
  return [lower, lower.replace(/[^\p{L}\p{N}]+$/u, '')].some((form) => known.includes(`\n${form}\n`))
}

async function load(): Promise<string> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const long = dictionary['passwords-common'].filter(({ length }) => length >= shortest)
  return `\n${long.join('\n').toLowerCase()}\n`
}
