import { maxCounted } from './organizations'

/** A number of members, of which not all are counted: "12", or "1,000+". */
export const formatCount = (count: number) => (count > maxCounted ? `${maxCounted.toLocaleString('en')}+` : `${count}`)
