export { default, metadata } from '../../../../content/delete/page'
