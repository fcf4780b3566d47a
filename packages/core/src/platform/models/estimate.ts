/** Tokens of so many characters where nobody counts them: four characters a token is what English comes to. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4)
}
