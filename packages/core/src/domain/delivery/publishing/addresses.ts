/** An address in a text, with parentheses where they are closed, as in `…/Rye_(bread)`; those around an address are not of it. */
export const address = /https?:\/\/(?:[^\s()<>[\]"'`|\\]|\([^\s()<>[\]"'`|\\]{0,200}\)){1,2000}/g

/** What ends a sentence or emphasis is no part of the address before it. */
export const withoutEnd = (found: string) => found.replace(/[.,;:!?*_~]{1,10}$/, '')
