/** What stands over the commands that work on a server, in the help. */
export const everyday = 'Everyday (against a server):'
