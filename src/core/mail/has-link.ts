/**
 * Whether a mail client could make a part of the text clickable: a URL, an email, or a domain in any script. For names in emails to
 * recipients who did not ask for them. Browsers also take the full stops of Chinese and Japanese for the dot of a domain.
 */
export const hasLink = (text: string): boolean =>
  /:\/\/|\/|@|\bwww\.|[^\s.][.\u3002\uff0e\uff61][\p{L}\p{M}]{2,}/iu.test(text)
