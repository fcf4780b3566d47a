<?php
// What rules of a web server do: files are served as they are, and everything else is asked of the site.
define('ABSPATH', getenv('SITE_FOLDER') . '/');
$path = rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
$file = realpath($_SERVER['DOCUMENT_ROOT'] . $path);
if ($file && is_file($file) && !str_ends_with($path, '.php')) return false;
$base = substr(ABSPATH, strlen($_SERVER['DOCUMENT_ROOT']));
// `/index.php/title` is an address too, where a site is set up so.
$script = $file && is_file($file) ? $path : $base . 'index.php';
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = $script;
$_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . $script;
chdir(dirname($_SERVER['SCRIPT_FILENAME']));
require $_SERVER['SCRIPT_FILENAME'];
