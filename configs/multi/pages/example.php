<?php
// An example for readers of the blog; nothing here runs it.
echo "hello, ", htmlspecialchars($_GET["name"] ?? "you"), "\n";
